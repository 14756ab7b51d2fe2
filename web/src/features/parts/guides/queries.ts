import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

export const guideQueries = {
  /** A part with its guide as it is now. */
  one: (partId: string) =>
    queryOptions({
      queryKey: ['scan', 'guide', { partId }],
      queryFn: ({ signal }) =>
        bodyOf(client.GET('/api/parts/{id}/guide', { params: { path: { id: partId } }, signal })),
    }),
};
