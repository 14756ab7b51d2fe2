import { MAX_PHOTOS, TOO_MANY_PHOTOS } from '@/features/scanning/capture/scan-flow';
import { checkPhoto, checkSize, type Photo, type PhotoCheck } from '@/lib/photos/photo';

/** The photos that can be sent, and the first thing to say of the others; null where there is none. */
type ChosenPhotos = { photos: Photo[]; refusal: string | null };

/** Of chosen, dropped or pasted files the photos that fit beside `gathered` others. */
export function photosIn(files: File[], gathered: number): ChosenPhotos {
  const chosen = files.length === 0 ? [undefined] : files;
  const { photos, refusal } = sift(chosen.map((file) => checkPhoto(file)));
  const room = MAX_PHOTOS - gathered;
  return photos.length > room
    ? { photos: photos.slice(0, room), refusal: TOO_MANY_PHOTOS }
    : { photos, refusal };
}

/** The photos as they are sent. One after another: each large one takes much memory while it shrinks. */
export async function shrunk(photos: Photo[], maxBytes: number | undefined): Promise<ChosenPhotos> {
  // Nothing is shrunk before the first photo; where its code does not come, photos go as they are.
  const shrink = await import('@/lib/photos/shrink-photo').then(
    ({ shrinkPhoto }) => shrinkPhoto,
    () => null,
  );
  const checks: PhotoCheck[] = [];
  for (const photo of photos) {
    checks.push(checkSize(shrink === null ? photo : await shrink(photo), maxBytes));
  }
  return sift(checks);
}

function sift(checks: PhotoCheck[]): ChosenPhotos {
  const photos = checks.flatMap((check) => (check.ok ? [check.photo] : []));
  const refusals = checks.flatMap((check, index) => {
    if (check.ok) return [];
    // As the server says which of several it refuses.
    return checks.length === 1
      ? check.message
      : `Photo ${index + 1} of ${checks.length}: ${check.message}`;
  });
  return { photos, refusal: refusals[0] ?? null };
}
