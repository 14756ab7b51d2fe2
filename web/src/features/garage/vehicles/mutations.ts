import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf, type Schemas } from '@/api/client';

export const vehicleMutations = {
  create: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'create'],
      mutationFn: (body: Schemas['NewVehicle']) => bodyOf(client.POST('/api/vehicles', { body })),
    }),
  update: (id: string) =>
    mutationOptions({
      mutationKey: ['vehicles', 'update', { id }],
      mutationFn: (body: Schemas['NewVehicle']) =>
        bodyOf(client.PUT('/api/vehicles/{id}', { params: { path: { id } }, body })),
    }),
  remove: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'remove'],
      mutationFn: (id: string) =>
        bodyOf(client.DELETE('/api/vehicles/{id}', { params: { path: { id } } })),
    }),
  setDefault: () =>
    mutationOptions({
      mutationKey: ['vehicles', 'setDefault'],
      mutationFn: (id: string) =>
        bodyOf(client.PUT('/api/vehicles/{id}/default', { params: { path: { id } } })),
    }),
};
