import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

export const companyQueries = {
  /** The company that the user is in, or null without one. */
  own: () =>
    queryOptions({
      queryKey: ['company', 'own'],
      queryFn: ({ signal }) => read(client.GET('/api/company', { signal })),
    }),
  /** The people of a company, then those who are invited. */
  members: (id: string) =>
    queryOptions({
      queryKey: ['company', 'members', id],
      queryFn: ({ signal }) =>
        read(client.GET('/api/company/{id}/members', { params: { path: { id } }, signal })),
    }),
};
