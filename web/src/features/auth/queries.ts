import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { USER_FRESHNESS } from '@/api/query-client';

export const authQueries = {
  /** The signed-in user, or null for a visitor. */
  user: () =>
    queryOptions({
      queryKey: ['auth', 'user'],
      queryFn: ({ signal }) => read(client.GET('/api/auth/user', { signal })),
      ...USER_FRESHNESS,
    }),
  /** The signed-in browsers of the account, the last used first. */
  sessions: () =>
    queryOptions({
      queryKey: ['auth', 'sessions'],
      queryFn: ({ signal }) => read(client.GET('/api/auth/sessions', { signal })),
    }),
};
