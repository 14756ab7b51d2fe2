import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const webhookQueries = {
  list: () => readQuery(['webhooks', 'list'], (signal) => client.GET('/api/webhooks', { signal })),
  /** The newest deliveries of one webhook. */
  deliveries: (id: string) =>
    readQuery(['webhooks', 'deliveries', id], (signal) =>
      client.GET('/api/webhooks/{id}/deliveries', { params: { path: { id } }, signal }),
    ),
};
