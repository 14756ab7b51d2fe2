import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { USER_FRESHNESS } from '@/api/query-client';

/** The signed-in user, or null for a visitor; what a form keeps is kept for them. */
export const userQuery = () =>
  queryOptions({
    queryKey: ['auth', 'user'],
    queryFn: ({ signal }) => read(client.GET('/api/auth/user', { signal })),
    ...USER_FRESHNESS,
  });
