import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { USER_FRESHNESS } from '@/api/query-client';
import { timeLimit } from '@/api/time-limit';

/** How long the server may take to say who is signed in, which the first screen waits for, in ms. */
const USER_MS = 8000;

/** The signed-in user, or null for a visitor; what a form keeps is kept for them. */
export const userQuery = () =>
  queryOptions({
    queryKey: ['auth', 'user'],
    queryFn: ({ client: known, queryKey }) => {
      // A browser lists every 401 among the errors of the page, also that of somebody who only looks around. After
      // somebody was signed in, it is the news that their session ended.
      const params = known.getQueryData(queryKey) ? {} : { query: { optional: true } };
      return read(client.GET('/api/auth/user', { params, signal: timeLimit(USER_MS) }));
    },
    ...USER_FRESHNESS,
  });
