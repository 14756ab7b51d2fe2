import { infiniteQueryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { PAGED, readPage } from '@/api/page';

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
};
