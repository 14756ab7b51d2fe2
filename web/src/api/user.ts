import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { USER_FRESHNESS } from '@/api/query-client';

/** The signed-in user, or null for a visitor; what a form keeps is kept for them. */
export const userQuery = () =>
  queryOptions({
    queryKey: ['auth', 'user'],
    queryFn: ({ signal, client: known, queryKey }) => {
      // A browser lists every 401 among the errors of the page, also that of somebody who only looks around. After
      // somebody was signed in, it is the news that their session ended.
      const params = known.getQueryData(queryKey) ? {} : { query: { optional: true } };
      return read(client.GET('/api/auth/user', { params, signal }));
    },
    ...USER_FRESHNESS,
  });
