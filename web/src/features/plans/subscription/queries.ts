import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { ALLOWANCE_FRESHNESS } from '@/api/query-client';

export const subscriptionQueries = {
  limits: () =>
    queryOptions({
      queryKey: ['subscription', 'limits'],
      queryFn: ({ signal }) => read(client.GET('/api/scans/limits', { signal })),
      ...ALLOWANCE_FRESHNESS,
    }),
  status: () =>
    queryOptions({
      queryKey: ['subscription', 'status'],
      queryFn: ({ signal }) => read(client.GET('/api/subscription/status', { signal })),
      ...ALLOWANCE_FRESHNESS,
    }),
};
