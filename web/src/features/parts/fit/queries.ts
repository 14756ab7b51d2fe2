import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';

/** Whether a part type, or a part of the shop, fits a vehicle. Part of the paid plans. */
export const partFitQuery = (partId: string, vehicleId: string) =>
  bodyQuery(['part-fit', { partId, vehicleId }], (signal) =>
    client.GET('/api/parts/{id}/fits', {
      params: { path: { id: partId }, query: { vehicleId } },
      signal,
    }),
  );
