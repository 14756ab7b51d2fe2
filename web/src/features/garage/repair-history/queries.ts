import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';
import { PAGED, readPage } from '@/api/page';

const PAGE_SIZE = 20;

export const repairQueries = {
  /** The repairs of all vehicles, newest first. */
  list: () =>
    infiniteQueryOptions({
      queryKey: ['repair-history', 'list'],
      queryFn: ({ pageParam, signal }) =>
        readPage(
          client.GET('/api/repair-history', {
            params: {
              query: { limit: PAGE_SIZE, ...(pageParam !== null && { before: pageParam }) },
            },
            signal,
          }),
        ),
      ...PAGED,
    }),
  /** The scan whose part was fitted. */
  scan: (id: string) =>
    queryOptions({
      queryKey: ['repair-history', 'scan', { id }],
      queryFn: ({ signal }) =>
        bodyOf(client.GET('/api/scans/{id}', { params: { path: { id } }, signal })),
    }),
};
