import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const offerQueries = {
  /** Where to buy a part for a vehicle; for the default one where none is named. */
  suppliers: (partId: string, vehicleId: string | null) =>
    readQuery(['scan', 'suppliers', { partId, vehicleId }], (signal) =>
      client.GET('/api/parts/{id}/ai-suppliers', {
        params: { path: { id: partId }, query: vehicleId === null ? {} : { vehicleId } },
        signal,
      }),
    ),
};
