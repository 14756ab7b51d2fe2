import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';
import { SETTINGS_FRESHNESS } from '@/api/query-client';

/** What the operator of this server has set for its pages; several features show or obey it. */
export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => bodyOf(client.GET('/api/settings', { signal })),
    ...SETTINGS_FRESHNESS,
  });
