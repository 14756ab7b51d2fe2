import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { userQuery } from '@/api/user';

export const authQueries = {
  /** The signed-in user, or null for a visitor. */
  user: userQuery,
  /** The signed-in browsers of the account, the last used first. */
  sessions: () =>
    readQuery(['auth', 'sessions'], (signal) => client.GET('/api/auth/sessions', { signal })),
};
