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
      const optional = (known.getQueryData(queryKey) ?? null) === null;
      const query = optional ? { optional } : {};
      return read(client.GET('/api/auth/user', { params: { query }, signal }));
    },
    ...USER_FRESHNESS,
  });
