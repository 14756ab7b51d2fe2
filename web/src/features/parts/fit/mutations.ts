import { bodyOf, client } from '@/api/client';

const params = (id: string, vehicleId: string) => ({ path: { id }, query: { vehicleId } });

export const partFitMutations = {
  /** Has a language model write notes on a part and a vehicle of which nothing is known. */
  askAi: (partId: string, vehicleId: string) => () =>
    bodyOf(client.POST('/api/parts/{id}/fits', { params: params(partId, vehicleId) })),
  /** Throws the notes away. */
  removeAi: (partId: string, vehicleId: string) => () =>
    client.DELETE('/api/parts/{id}/fits', { params: params(partId, vehicleId) }),
};
