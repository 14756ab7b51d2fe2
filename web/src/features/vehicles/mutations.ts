import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf, type Schemas } from '@/api/client';

export const vehicleMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'create'],
      mutationFn: (body: Schemas['NewVehicle']) => bodyOf(client.POST('/api/vehicles', { body })),
    }),
  setDefault: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'setDefault'],
      mutationFn: (id: string) =>
        bodyOf(client.PUT('/api/vehicles/{id}/default', { params: { path: { id } } })),
    }),
};
