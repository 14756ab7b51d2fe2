import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const offerQueries = {
  /**
   * Where to buy a part for the default vehicle, the only one that the server answers for;
   * `vehicleId` keeps the answers for an earlier default apart.
   */
  suppliers: (partId: string, vehicleId: string | null) =>
    readQuery(['scan', 'suppliers', { partId, vehicleId }], (signal) =>
      client.GET('/api/parts/{id}/ai-suppliers', { params: { path: { id: partId } }, signal }),
    ),
};
