import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const partRecallQueries = {
  /** Recalls of a vehicle that name a part. */
  ofPart: (partId: string, vehicleId: string) =>
    readQuery(['parts', 'recalls', { partId, vehicleId }], (signal) =>
      client.GET('/api/parts/{id}/recalls', {
        params: { path: { id: partId }, query: { vehicleId } },
        signal,
      }),
    ),
};
