import { mutationOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

export const oilMutations = {
  setOwn: (id: string) =>
    mutationOptions({
      mutationKey: ['oil', 'setOwn', { id }],
      mutationFn: (body: Schemas['VehicleOil']) =>
        bodyOf(client.PUT('/api/vehicles/{id}/oil', { params: { path: { id } }, body })),
    }),
  forgetOwn: (id: string) =>
    mutationOptions({
      mutationKey: ['oil', 'forgetOwn', { id }],
      mutationFn: () => client.DELETE('/api/vehicles/{id}/oil', { params: { path: { id } } }),
    }),
};
