import { bodyOf, client, type Schemas } from '@/api/client';
import type { Photo } from '@/lib/photos/photo';

type IdentifyRequest = {
  /** One to five of one part. */
  photos: Photo[];
  /** Names this one scan: sent again under the same key, it is not made twice. */
  key: string;
  vehicle: Pick<Schemas['Vehicle'], 'id' | 'make' | 'model' | 'year'>;
  /** The one photo shows several parts. */
  several?: boolean | undefined;
  signal?: AbortSignal;
};

/** Sends the photos of one part to be identified. */
export function identify({ photos, key, vehicle, several, signal }: IdentifyRequest) {
  const { make, model, year } = vehicle;
  const form = new FormData();
  for (const { blob, name } of photos) form.append('image', blob, name);
  form.append('vehicleId', vehicle.id);
  form.append('vehicleInfo', JSON.stringify({ make, model, year }));
  return bodyOf(
    client.POST('/api/identify', {
      params: { header: { 'Idempotency-Key': key }, query: several ? { several } : {} },
      // OpenAPI has no type for a file; what travels is the form built above.
      body: { image: photos.map(({ name }) => name) },
      bodySerializer: () => form,
      ...(signal !== undefined && { signal }),
    }),
  );
}
