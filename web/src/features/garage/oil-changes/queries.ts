import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
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
  /** Those of one vehicle: all that the server gives at once, newest first. */
  ofVehicle: (vehicleId: string) =>
    queryOptions({
      queryKey: ['oil-changes', 'ofVehicle', { vehicleId }],
      queryFn: ({ signal }) =>
        readPage(client.GET('/api/oil-changes', { params: { query: { vehicleId } }, signal })),
    }),
};
