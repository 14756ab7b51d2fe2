import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { itemsOf, PAGED, readPage } from '@/api/page';
import { readQuery } from '@/api/read-query';

/** How often deliveries are read while one has not been tried yet. */
const FIRST_TRY_MS = 2500;

export const webhookQueries = {
  list: () => readQuery(['webhooks', 'list'], (signal) => client.GET('/api/webhooks', { signal })),
  /** The deliveries of one webhook, the newest first. */
  deliveries: (id: string) =>
    infiniteQueryOptions({
      queryKey: ['webhooks', 'deliveries', id],
      queryFn: ({ pageParam, signal }) =>
        readPage(
          client.GET('/api/webhooks/{id}/deliveries', {
            params: { path: { id }, query: pageParam === null ? {} : { before: pageParam } },
            signal,
          }),
        ),
      ...PAGED,
      // The first try of a delivery takes seconds at most.
      refetchInterval: ({ state: { data } }) =>
        itemsOf(data?.pages).some(({ state, attempts }) => state === 'waiting' && attempts === 0)
          ? FIRST_TRY_MS
          : false,
    }),
};
