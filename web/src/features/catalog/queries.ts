import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, read } from '@/api/client';

export const catalogQueries = {
  /** The parts that were taught, with their photos; null for a visitor. */
  types: () =>
    queryOptions({
      queryKey: ['catalog', 'types'],
      queryFn: ({ signal }) => read(client.GET('/api/catalog/types', { signal })),
    }),
  /** One part with its photos, taught or shipped. */
  type: (id: string) =>
    queryOptions({
      queryKey: ['catalog', 'type', { id }],
      queryFn: ({ signal }) =>
        bodyOf(client.GET('/api/catalog/types/{id}', { params: { path: { id } }, signal })),
    }),
};
