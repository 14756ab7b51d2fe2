import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

const params = (id: string, vehicleId: string) => ({ path: { id }, query: { vehicleId } });

export const partFitMutations = {
  /** Has a language model write notes on a part and a vehicle of which nothing is known. */
  askAi: (partId: string, vehicleId: string) =>
    mutationOptions({
      mutationKey: ['part-fit', 'askAi', { partId, vehicleId }],
      mutationFn: () =>
        bodyOf(client.POST('/api/parts/{id}/fits', { params: params(partId, vehicleId) })),
    }),
  /** Throws the notes away. */
  removeAi: (partId: string, vehicleId: string) =>
    mutationOptions({
      mutationKey: ['part-fit', 'removeAi', { partId, vehicleId }],
      mutationFn: () =>
        client.DELETE('/api/parts/{id}/fits', { params: params(partId, vehicleId) }),
    }),
};
