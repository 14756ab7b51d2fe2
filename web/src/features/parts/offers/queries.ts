import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

export const offerQueries = {
  /**
   * Where to buy a part for a vehicle; for the default one where none is named. With the number on
   * the part, for that very part.
   */
  suppliers: (partId: string, vehicleId: string | null, partNumber: string | null = null) =>
    readQuery(['scan', 'suppliers', { partId, vehicleId, partNumber }], (signal) =>
      client.GET('/api/parts/{id}/ai-suppliers', {
        params: {
          path: { id: partId },
          query: {
            ...(vehicleId === null ? {} : { vehicleId }),
            ...(partNumber === null ? {} : { partNumber }),
          },
        },
        signal,
      }),
    ),
};
