import { whiten } from '@/lib/photos/white';

/** Makes large photographs smaller, off the thread that the screen is drawn on. */

export type ShrinkRequest = {
  photo: Blob;
  maxSide: number;
  quality: number;
  /** Whether one that is small enough is made a JPEG as well. */
  evenIfSmall: boolean;
};
/** Null where the photograph is small enough, or of a format that this browser cannot read. */
export type ShrinkReply = Blob | null;

self.addEventListener('message', (event: MessageEvent<ShrinkRequest>) => {
  shrink(event.data).then(
    (reply) => self.postMessage(reply satisfies ShrinkReply),
    () => self.postMessage(null satisfies ShrinkReply),
  );
});

async function shrink({
  photo,
  maxSide,
  quality,
  evenIfSmall,
}: ShrinkRequest): Promise<ShrinkReply> {
  const full = await createImageBitmap(photo, { imageOrientation: 'from-image' });
  const scale = Math.min(1, maxSide / Math.max(full.width, full.height));
  if (scale === 1 && !evenIfSmall) {
    full.close();
    return null;
  }
  const width = Math.max(1, Math.round(full.width * scale));
  const height = Math.max(1, Math.round(full.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (context === null) return null;
  whiten(context);
  context.imageSmoothingQuality = 'high';
  context.drawImage(full, 0, 0, width, height);
  full.close();
  return canvas.convertToBlob({ type: 'image/jpeg', quality });
}
