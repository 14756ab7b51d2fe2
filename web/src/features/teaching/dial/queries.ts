import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** How many wrong answers the signed-in user, or the company, accepts; null for a visitor. */
export const dialQuery = () =>
  queryOptions({
    queryKey: ['dial'],
    queryFn: ({ signal }) => read(client.GET('/api/dial', { signal })),
  });
