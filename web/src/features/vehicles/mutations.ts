import { mutationOptions } from '@tanstack/react-query';
import { client, write, type Schemas } from '@/api/client';

export const vehicleMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'create'],
      mutationFn: (body: Schemas['NewVehicle']) => write(client.POST('/api/vehicles', { body })),
    }),
  setDefault: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'setDefault'],
      mutationFn: (id: string) =>
        write(client.PUT('/api/vehicles/{id}/default', { params: { path: { id } } })),
    }),
};
