import { mutationOptions } from '@tanstack/react-query';
import { client, bodyOf, type Schemas } from '@/api/client';
import type { Photo } from '@/lib/photos/photo';

export type IdentifyRequest = {
  /** One to five of one part. */
  photos: Photo[];
  /** Names this one scan: sent again under the same key, it is not made twice. */
  key: string;
  vehicle: Pick<Schemas['Vehicle'], 'id' | 'make' | 'model' | 'year'>;
  signal?: AbortSignal;
};

export const scanMutations = {
  identify: () =>
    mutationOptions({
      mutationKey: ['scan', 'identify'],
      mutationFn: ({ photos, key, vehicle, signal }: IdentifyRequest) => {
        const { make, model, year } = vehicle;
        const form = new FormData();
        for (const { blob, name } of photos) form.append('image', blob, name);
        form.append('vehicleId', vehicle.id);
        form.append('vehicleInfo', JSON.stringify({ make, model, year }));
        return bodyOf(
          client.POST('/api/identify', {
            params: { header: { 'Idempotency-Key': key } },
            // OpenAPI has no type for a file; what travels is the form built above.
            body: { image: photos.map(({ name }) => name) },
            bodySerializer: () => form,
            ...(signal !== undefined && { signal }),
          }),
        );
      },
    }),
  /** Has a language model write a guide for a part that people taught. */
  askGuide: (partId: string) =>
    mutationOptions({
      mutationKey: ['scan', 'askGuide', { partId }],
      mutationFn: () =>
        bodyOf(client.POST('/api/parts/{id}/guide', { params: { path: { id: partId } } })),
    }),
  /** Throws that guide away. */
  removeGuide: (partId: string) =>
    mutationOptions({
      mutationKey: ['scan', 'removeGuide', { partId }],
      mutationFn: () =>
        client.DELETE('/api/parts/{id}/guide', { params: { path: { id: partId } } }),
    }),
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
