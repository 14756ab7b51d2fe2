import { clamp, type Place } from '@/features/scanning/drag';
import type { Photo } from '@/lib/photos/photo';
import { whiten } from '@/lib/photos/white';

/** A part of a photograph: `left + width` is at most 1. */
export type Crop = Place;

export const WHOLE: Crop = { left: 0, top: 0, width: 1, height: 1 };

/** What can be moved: a corner, or the whole frame. */
export type Handle = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right' | 'frame';

/** Smaller than this share of a side, little is left to see. */
const MIN_SHARE = 0.1;
const JPEG_QUALITY = 0.92;

/** How large a crop is and where it lies, in words: all that somebody who moves it by keys hears of it. */
export function placeText({ left, top, width, height }: Crop): string {
  const percent = (share: number) => `${Math.round(share * 100)}%`;
  return `${percent(width)} of the width, ${percent(height)} of the height; ${percent(left)} from the left, ${percent(top)} from the top`;
}

/** The crop after `handle` was moved by shares of the photograph's sides. */
export function moveCrop(crop: Crop, handle: Handle, right: number, down: number): Crop {
  const { left, top, width, height } = crop;
  if (handle === 'frame') {
    return {
      ...crop,
      left: clamp(left + right, 0, 1 - width),
      top: clamp(top + down, 0, 1 - height),
    };
  }
  const [vertical, horizontal] = handle.split('-');
  const across = moveSide(left, width, right, horizontal === 'left');
  const along = moveSide(top, height, down, vertical === 'top');
  return { left: across.start, width: across.length, top: along.start, height: along.length };
}

/** Moves one end of the stretch that begins at `start`; the other end stays. */
function moveSide(start: number, length: number, by: number, first: boolean) {
  const end = start + length;
  if (!first) return { start, length: clamp(end + by, start + MIN_SHARE, 1) - start };
  const next = clamp(start + by, 0, end - MIN_SHARE);
  return { start: next, length: end - next };
}

export function isWhole({ width, height }: Crop): boolean {
  return width > 0.999 && height > 0.999;
}

/** The crop in pixels of a photograph of this size; at least one pixel a side. */
export function cropPixels(crop: Crop, width: number, height: number) {
  const left = Math.round(crop.left * width);
  const top = Math.round(crop.top * height);
  return {
    left,
    top,
    width: Math.max(1, Math.min(width - left, Math.round(crop.width * width))),
    height: Math.max(1, Math.min(height - top, Math.round(crop.height * height))),
  };
}

/** The part of a photograph, as a JPEG that stands upright. */
export async function cropPhoto(photo: Photo, crop: Crop): Promise<Photo> {
  if (isWhole(crop)) return photo;
  const image = await createImageBitmap(photo.blob, { imageOrientation: 'from-image' });
  const { left, top, width, height } = cropPixels(crop, image.width, image.height);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser gives no canvas.');
  whiten(context);
  context.drawImage(image, left, top, width, height, 0, 0, width, height);
  image.close();
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY),
  );
  if (blob === null) throw new Error('The browser gave no picture.');
  return { blob, name: 'crop.jpg' };
}
