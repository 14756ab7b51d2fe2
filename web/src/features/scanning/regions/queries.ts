import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';
import type { Box } from '@/features/scanning/regions/boxes';
import type { Photo } from '@/lib/photos/photo';

/** Sends boxes, or without them has the parts looked for. The photo goes along where it is at hand. */
function send(
  scanId: string,
  photo: Photo | null,
  boxes: readonly Box[] | null,
  signal?: AbortSignal,
) {
  const form = new FormData();
  if (boxes !== null) {
    const regions = boxes.map(({ area, corrected }) => ({ area, label: corrected?.label ?? null }));
    form.append('regions', JSON.stringify(regions));
  }
  if (photo !== null) form.append('image', photo.blob, photo.name);
  return bodyOf(
    client.PUT('/api/scans/{id}/regions', {
      params: { path: { id: scanId } },
      // OpenAPI has no type for a file; what travels is the form built above.
      body: {},
      bodySerializer: () => form,
      ...(signal !== undefined && { signal }),
    }),
  );
}

/** The parts on the photo of a scan. Where nobody looked for them yet, they are looked for. */
export const regionsQuery = (scanId: string, photo: Photo | null) =>
  queryOptions({
    queryKey: ['scan', 'regions', { scanId }],
    queryFn: async ({ signal }) => {
      const params = { path: { id: scanId } };
      const kept = await bodyOf(client.GET('/api/scans/{id}/regions', { params, signal }));
      return kept.isLookedFor ? kept : await send(scanId, photo, null, signal);
    },
    // The photo is sent again for each attempt.
    retry: false,
    refetchOnWindowFocus: false,
  });

export const regionMutations = {
  /** Keeps these boxes; those in a new place are answered. */
  save:
    (scanId: string) =>
    ({ photo, boxes }: { photo: Photo | null; boxes: readonly Box[] }) =>
      // What is answered already needs no photo.
      send(scanId, boxes.some(({ answer }) => answer === null) ? photo : null, boxes),
};
