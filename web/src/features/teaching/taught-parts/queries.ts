import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

export const catalogQueries = {
  /** The parts that were taught, with their photos; null for a visitor. */
  types: () =>
    queryOptions({
      queryKey: ['catalog', 'types'],
      queryFn: ({ signal }) => read(client.GET('/api/catalog/types', { signal })),
    }),
};
