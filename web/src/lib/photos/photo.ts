import { formatBytes } from '@/lib/format';

/** A picture on its way to the server. */
export type Photo = { blob: Blob; name: string };

/** What a file chooser offers; a browser that does not know HEIC finds it by its name alone. */
export const PHOTO_FILES = 'image/*,.heic,.heif';

export type PhotoCheck = { ok: true; photo: Photo } | { ok: false; message: string };

/** Takes a chosen, dropped or pasted file of any size, or says what to do instead. */
export function checkPhoto(file: File | undefined): PhotoCheck {
  if (file === undefined) return refused('No file arrived. Choose a photo of the part.');
  if (!isImage(file)) {
    return refused('This is not a photo: send a JPEG, PNG, WebP, HEIC, GIF, BMP or TIFF file.');
  }
  if (file.size === 0) return refused('This file is empty. Choose another photo.');
  return { ok: true, photo: { blob: file, name: file.name || 'photo' } };
}

/** A browser that does not know HEIC states no type for it, and the server reads it all the same. */
function isImage({ type, name }: File): boolean {
  return type.startsWith('image/') || (type === '' && /\.hei[cf]$/i.test(name));
}

/** Refuses a photo over the server's limit to spare the upload; while that is not known, the server has the only word. */
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
