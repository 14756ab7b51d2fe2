import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

export const apiKeyQueries = {
  list: () =>
    queryOptions({
      queryKey: ['api-keys', 'list'],
      queryFn: ({ signal }) => read(client.GET('/api/api-keys', { signal })),
    }),
  /** The last 30 days. */
  usage: () =>
    queryOptions({
      queryKey: ['api-keys', 'usage'],
      queryFn: ({ signal }) => read(client.GET('/api/usage', { signal })),
    }),
};
