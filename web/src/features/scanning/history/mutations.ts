import { client } from '@/api/client';

export const historyMutations = {
  remove: (id: string) => client.DELETE('/api/scans/{id}', { params: { path: { id } } }),
  clearHistory: (vehicleId: string | null) =>
    client.DELETE('/api/scans', {
      params: { query: vehicleId === null ? {} : { vehicleId } },
    }),
};
