import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { userQuery } from '@/api/user';

export const authQueries = {
  /** The signed-in user, or null for a visitor. */
  user: userQuery,
  /** The signed-in browsers of the account, the last used first. */
  sessions: () =>
    queryOptions({
      queryKey: ['auth', 'sessions'],
      queryFn: ({ signal }) => read(client.GET('/api/auth/sessions', { signal })),
    }),
};
