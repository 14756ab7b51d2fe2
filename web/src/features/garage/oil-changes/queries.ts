import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';
import { limitOf, PAGED, readPage } from '@/api/page';
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
                limit: limitOf(PAGE_SIZE, pageParam),
                ...(vehicleId !== null && { vehicleId }),
                ...(pageParam !== null && { before: pageParam }),
              },
            },
            signal,
          }),
        ),
      ...PAGED,
    }),
  /** When the oil of a vehicle is due next; null for a car that needs none. */
  next: (vehicleId: string, today: Day) =>
    queryOptions({
      queryKey: ['oil-changes', 'next', { vehicleId, today }],
      queryFn: async ({ signal }) => {
        const plan = await read(
          client.GET('/api/vehicles/{id}/maintenance', {
            params: { path: { id: vehicleId }, query: { today } },
            signal,
          }),
        );
        return plan?.items.find(({ item }) => item === 'engine-oil') ?? null;
      },
    }),
};
