import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

/** Whether a part type, or a part of the shop, fits a vehicle. Part of the paid plans. */
export const partFitQuery = (partId: string, vehicleId: string) =>
  queryOptions({
    queryKey: ['part-fit', { partId, vehicleId }],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/api/parts/{id}/fits', {
          params: { path: { id: partId }, query: { vehicleId } },
          signal,
        }),
      ),
  });
