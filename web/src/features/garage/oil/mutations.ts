import { bodyOf, client, type Schemas } from '@/api/client';

export const oilMutations = {
  setOwn: (id: string) => (body: Schemas['VehicleOil']) =>
    bodyOf(client.PUT('/api/vehicles/{id}/oil', { params: { path: { id } }, body })),
  forgetOwn: (id: string) => () =>
    client.DELETE('/api/vehicles/{id}/oil', { params: { path: { id } } }),
  /** Has a language model fill in what our table does not know. */
  askAi: (id: string) => () =>
    bodyOf(client.POST('/api/vehicles/{id}/oil/ai', { params: { path: { id } } })),
  /** Throws away what it filled in. */
  removeAi: (id: string) => () =>
    client.DELETE('/api/vehicles/{id}/oil/ai', { params: { path: { id } } }),
};
