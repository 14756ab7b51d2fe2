/** A picture on its way to the server. */
export type Photo = { blob: Blob; name: string };

const MEGABYTE = 1024 * 1024;
/** What a server takes unless it is set up otherwise; saying so here spares the upload. */
export const PHOTO_MAX_BYTES = 25 * MEGABYTE;

export type PhotoCheck = { ok: true; photo: Photo } | { ok: false; message: string };

/** Takes a chosen, dropped or pasted file, or says what to do instead. */
export function checkPhoto(file: File | undefined): PhotoCheck {
  if (file === undefined) return refused('No file arrived. Choose a photo of the part.');
  if (!file.type.startsWith('image/')) {
    return refused('This file is not an image. Choose a JPEG, PNG or WebP photo.');
  }
  if (file.size === 0) return refused('This file is empty. Choose another photo.');
  if (file.size > PHOTO_MAX_BYTES) {
    return refused(
      `This photo is larger than ${PHOTO_MAX_BYTES / MEGABYTE} MB. Choose a smaller one, or take it with the camera here.`,
    );
  }
  return { ok: true, photo: { blob: file, name: file.name || 'photo' } };
}

function refused(message: string): PhotoCheck {
  return { ok: false, message };
}
