import { mutationOptions } from '@tanstack/react-query';
import { client } from '@/api/client';

export const historyMutations = {
  remove: () =>
    mutationOptions({
      mutationKey: ['scan', 'remove'],
      mutationFn: (id: string) => client.DELETE('/api/scans/{id}', { params: { path: { id } } }),
    }),
  clearHistory: () =>
    mutationOptions({
      mutationKey: ['scan', 'clearHistory'],
      mutationFn: (vehicleId: string | null) =>
        client.DELETE('/api/scans', {
          params: { query: vehicleId === null ? {} : { vehicleId } },
        }),
    }),
};
