import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, read } from '@/api/client';

export const companyQueries = {
  /** The company that the user is in, or null without one. */
  own: () =>
    queryOptions({
      queryKey: ['company', 'own'],
      queryFn: ({ signal }) => read(client.GET('/api/company', { signal })),
    }),
  /** The open invitations to the address of whoever is signed in. */
  invitations: () =>
    queryOptions({
      queryKey: ['company', 'invitations'],
      queryFn: ({ signal }) => read(client.GET('/api/company/invitations', { signal })),
    }),
  /** What a mailed invitation asks into; asked by POST so that its secret stands in no address. */
  invitation: (token: string) =>
    queryOptions({
      queryKey: ['company', 'invitation', token],
      queryFn: ({ signal }) =>
        bodyOf(client.POST('/api/company/invitations/show', { body: { token }, signal })),
      retry: false,
    }),
  /** The people of a company, then those who are invited. */
  members: (id: string) =>
    queryOptions({
      queryKey: ['company', 'members', id],
      queryFn: ({ signal }) =>
        read(client.GET('/api/company/{id}/members', { params: { path: { id } }, signal })),
    }),
};
