import { formatBytes } from '@/lib/format';

/** A picture on its way to the server. */
export type Photo = { blob: Blob; name: string };

export type PhotoCheck = { ok: true; photo: Photo } | { ok: false; message: string };

/**
 * Takes a chosen, dropped or pasted file, or says what to do instead. `maxBytes` is the server's
 * limit, checked here to spare the upload; while it is not known, the server has the only word.
 */
export function checkPhoto(file: File | undefined, maxBytes: number | undefined): PhotoCheck {
  if (file === undefined) return refused('No file arrived. Choose a photo of the part.');
  if (!file.type.startsWith('image/')) {
    return refused('This file is not an image. Choose a JPEG, PNG or WebP photo.');
  }
  if (file.size === 0) return refused('This file is empty. Choose another photo.');
  return checkSize({ blob: file, name: file.name || 'photo' }, maxBytes);
}

/** Refuses a photo over the server's limit, where that is known. */
export function checkSize(photo: Photo, maxBytes: number | undefined): PhotoCheck {
  if (maxBytes !== undefined && photo.blob.size > maxBytes) {
    return refused(
      `This photo is larger than ${formatBytes(maxBytes)}. Choose a smaller one, or take it with the camera here.`,
    );
  }
  return { ok: true, photo };
}

function refused(message: string): PhotoCheck {
  return { ok: false, message };
}
