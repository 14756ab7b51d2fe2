import { bodyOf, client, type Schemas } from '@/api/client';
import type { Photo } from '@/lib/photos/photo';

export const vehicleMutations = {
  readVin: (photo: Photo) => {
    const form = new FormData();
    form.append('image', photo.blob, photo.name);
    return bodyOf(
      client.POST('/api/vehicles/read-vin', {
        // OpenAPI has no type for a file; what travels is the form built above.
        body: { image: photo.name },
        bodySerializer: () => form,
      }),
    );
  },
  create: (body: Schemas['NewVehicle'], key: string) =>
    bodyOf(client.POST('/api/vehicles', { params: { header: { 'Idempotency-Key': key } }, body })),
  update: (id: string) => (body: Schemas['NewVehicle']) =>
    bodyOf(client.PUT('/api/vehicles/{id}', { params: { path: { id } }, body })),
  remove: (id: string) => bodyOf(client.DELETE('/api/vehicles/{id}', { params: { path: { id } } })),
  setDefault: (id: string) =>
    bodyOf(client.PUT('/api/vehicles/{id}/default', { params: { path: { id } } })),
};
