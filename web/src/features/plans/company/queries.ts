import { client } from '@/api/client';
import { bodyQuery, readQuery } from '@/api/read-query';

export const companyQueries = {
  all: () => ['company'],
  /** The company that the user is in, or null without one. */
  own: () => readQuery(['company', 'own'], (signal) => client.GET('/api/company', { signal })),
  /** The open invitations to the address of whoever is signed in. */
  invitations: () =>
    readQuery(['company', 'invitations'], (signal) =>
      client.GET('/api/company/invitations', { signal }),
    ),
  /** What a mailed invitation asks into; asked by POST so that its secret stands in no address. */
  invitation: (token: string) =>
    bodyQuery(['company', 'invitation', token], (signal) =>
      client.POST('/api/company/invitations/show', { body: { token }, signal }),
    ),
  /** The people of a company, then those who are invited. */
  members: (id: string) =>
    readQuery(['company', 'members', id], (signal) =>
      client.GET('/api/company/{id}/members', { params: { path: { id } }, signal }),
    ),
};
