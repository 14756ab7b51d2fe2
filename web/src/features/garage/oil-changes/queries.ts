import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';
import { PAGED, readPage } from '@/api/page';
import type { Day } from '@/lib/dates';

const PAGE_SIZE = 5;

export const oilChangeQueries = {
  /** Newest first: those of the default vehicle, or with an id those of another. */
  list: (vehicleId: string | null) =>
    infiniteQueryOptions({
      queryKey: ['oil-changes', 'list', { vehicleId }],
      queryFn: ({ pageParam, signal }) =>
        readPage(
          client.GET('/api/oil-changes', {
            params: {
              query: {
                limit: PAGE_SIZE,
                ...(vehicleId !== null && { vehicleId }),
                ...(pageParam !== null && { before: pageParam }),
              },
            },
            signal,
          }),
        ),
      ...PAGED,
    }),
  /** When the oil of each vehicle is due next; without items for a car that needs none. */
  next: (today: Day) =>
    readQuery(['oil-changes', 'next', { today }], (signal) =>
      client.GET('/api/maintenance', { params: { query: { today, item: 'engine-oil' } }, signal }),
    ),
};
