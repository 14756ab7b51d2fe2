import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';

export const guideQueries = {
  /** A part with its guide as it is now. */
  one: (partId: string) =>
    bodyQuery(['scan', 'guide', { partId }], (signal) =>
      client.GET('/api/parts/{id}/guide', { params: { path: { id: partId } }, signal }),
    ),
};
