import type { Photo } from '@/lib/photos/photo';
import type { ShrinkReply, ShrinkRequest } from '@/lib/photos/shrink-worker';

/**
 * Longest side of a photograph that is sent, in pixels. The model looks at 240; the rest is for
 * people, and for a judge that reads part numbers.
 */
const MAX_SIDE = 2048;
const QUALITY = 0.9;
/** A file of fewer bytes is sent faster than it is looked into. */
const SMALL_BYTES = 1_500_000;
/** A phone of years ago takes seconds for 40 megapixels. */
const DEADLINE_MS = 20_000;

/** What the server reads; others, such as AVIF, become a JPEG where this browser can draw them. */
const READ_BY_SERVER = /^(image\/(jpe?g|png|webp|hei[cf]|gif|bmp|tiff))?$/;

/** The photograph with all its pixels, such as for small print; only of a format that the server does not read, in another. */
export async function readablePhoto(photo: Photo): Promise<Photo> {
  return isForeign(photo) ? shrinkPhoto(photo) : photo;
}

function isForeign({ blob }: Photo): boolean {
  return !READ_BY_SERVER.test(blob.type);
}

/**
 * The photograph as it is sent: a large one smaller, and without what the camera wrote about it; one of a format that
 * the server does not read, in another.
 */
export async function shrinkPhoto(photo: Photo): Promise<Photo> {
  const canShrink = typeof Worker !== 'undefined' && typeof OffscreenCanvas !== 'undefined';
  const evenIfSmall = isForeign(photo);
  if (!canShrink || (photo.blob.size <= SMALL_BYTES && !evenIfSmall)) return photo;
  const worker = new Worker(new URL('./shrink-worker.ts', import.meta.url), { type: 'module' });
  const answered = new Promise<ShrinkReply>((resolve) => {
    setTimeout(resolve, DEADLINE_MS, null);
    worker.addEventListener('message', ({ data }: MessageEvent<ShrinkReply>) => resolve(data));
    worker.addEventListener('error', () => resolve(null));
  });
  const request: ShrinkRequest = {
    photo: photo.blob,
    maxSide: MAX_SIDE,
    quality: QUALITY,
    evenIfSmall,
  };
  worker.postMessage(request);
  const smaller = await answered;
  worker.terminate();
  // A photo that was compressed harder than this comes out larger.
  return smaller === null || (smaller.size >= photo.blob.size && !evenIfSmall)
    ? photo
    : { blob: smaller, name: photo.name.replace(/(\.\w+)?$/, '.jpg') };
}
