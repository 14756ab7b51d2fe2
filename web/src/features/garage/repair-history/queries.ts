import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';
import { PAGED, readPage } from '@/api/page';

const PAGE_SIZE = 20;

export const repairQueries = {
  /** Newest first: those of all vehicles, or with an id those of one. */
  list: (vehicleId: string | null) =>
    infiniteQueryOptions({
      queryKey: ['repair-history', 'list', { vehicleId }],
      queryFn: ({ pageParam, signal }) =>
        readPage(
          client.GET('/api/repair-history', {
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
  /** The repairs of one vehicle: all that the server gives at once, newest first. */
  ofVehicle: (vehicleId: string) =>
    queryOptions({
      queryKey: ['repair-history', 'ofVehicle', { vehicleId }],
      queryFn: ({ signal }) =>
        readPage(client.GET('/api/repair-history', { params: { query: { vehicleId } }, signal })),
    }),
  /** The scan whose part was fitted. */
  scan: (id: string) =>
    bodyQuery(['repair-history', 'scan', { id }], (signal) =>
      client.GET('/api/scans/{id}', { params: { path: { id } }, signal }),
    ),
  /** The text on its photographs, with the number of the part. */
  reading: (id: string) =>
    bodyQuery(['repair-history', 'reading', { id }], (signal) =>
      client.GET('/api/scans/{id}/reading', { params: { path: { id } }, signal }),
    ),
};
