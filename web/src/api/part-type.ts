import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

/** One part type with its name and its photos, taught or shipped; several screens know its label alone. */
export const partTypeQuery = (label: string) =>
  queryOptions({
    queryKey: ['part-type', { label }],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/api/catalog/types/{id}', { params: { path: { id: label } }, signal })),
  });
