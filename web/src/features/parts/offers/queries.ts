import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

export const offerQueries = {
  /**
   * Where to buy a part for the default vehicle, the only one that the server answers for;
   * `vehicleId` keeps the answers for an earlier default apart.
   */
  suppliers: (partId: string, vehicleId: string | null) =>
    queryOptions({
      queryKey: ['scan', 'suppliers', { partId, vehicleId }],
      queryFn: ({ signal }) =>
        read(
          client.GET('/api/parts/{id}/ai-suppliers', { params: { path: { id: partId } }, signal }),
        ),
      retry: false,
    }),
};
