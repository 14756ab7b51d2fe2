import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { PAGED, readPage } from '@/api/page';
import { readQuery } from '@/api/read-query';

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
    }),
};
