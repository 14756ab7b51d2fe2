import type { Schemas } from '@/api/client';
import type { Guess } from '@/features/scanning/on-device/guess';
import type { Photo } from '@/lib/photos/photo';
import { formatBytes } from '@/lib/format';

/** Bounds of what one person's photographs may take in a browser, whose room is not ours. */
export const MAX_WAITING = 50;
export const MAX_WAITING_BYTES = 150 * 1024 * 1024;

export type ScannedVehicle = Pick<Schemas['Vehicle'], 'id' | 'make' | 'model' | 'year'>;

/** Only what a scan needs: plates and VINs are kept in no browser. */
export function scannedVehicle({ id, make, model, year }: ScannedVehicle): ScannedVehicle {
  return { id, make, model, year };
}

/** The photographs of one part, taken without a server, that wait in this browser to be sent. */
export type WaitingScan = {
  /** Names it here and, as its `Idempotency-Key`, to the server, so that it is answered once. */
  id: string;
  /** Whose it is. Nobody else sees it or sends it. */
  userId: string;
  vehicle: ScannedVehicle;
  photos: KeptPhoto[];
  /** When it was taken, in ms since 1970. */
  takenAt: number;
  /** What the model in this browser takes it for; null where it could not be asked. */
  guess: Guess | null;
  /** Why it was refused when it was sent; null while it has not been. */
  refusal: Refusal | null;
  /** Whether a screen of its own shows the answer, so that no message is needed. */
  isListed?: boolean;
  /** Whether several parts are looked for. */
  isOfSeveral?: boolean;
  /**
   * Whether that screen sends it itself, or its part was taken out of the list there while it was sent: then it is kept
   * only until the scan that came of it is deleted. It does not wait with the others.
   */
  isTakenOut?: boolean;
};

/** Bytes, not a `Blob`: some browsers cannot store one. */
export type KeptPhoto = { bytes: ArrayBuffer; type: string; name: string };

export type Refusal = {
  message: string;
  /** Its vehicle was deleted: it can only be sent for another one. */
  vehicleGone: boolean;
};

/** Who uses this browser, for as long as they are signed in. */
export type Owner = { userId: string; vehicle: ScannedVehicle | null };

export async function keptPhoto({ blob, name }: Photo): Promise<KeptPhoto> {
  return { bytes: await blob.arrayBuffer(), type: blob.type, name };
}

export function photosOf({ photos }: Pick<WaitingScan, 'photos'>): Photo[] {
  return photos.map(({ bytes, type, name }) => ({ blob: new Blob([bytes], { type }), name }));
}

export function countPhotos(scans: WaitingScan[]): number {
  return scans.reduce((sum, { photos }) => sum + photos.length, 0);
}

export function bytesOf(scans: WaitingScan[]): number {
  return scans
    .flatMap(({ photos }) => photos)
    .reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
}

/** Why `scan` does not fit beside `scans`; null when it does. */
export function noRoomFor(scan: WaitingScan, scans: WaitingScan[]): string | null {
  const all = [...scans, scan];
  if (countPhotos(all) > MAX_WAITING) {
    return `${countPhotos(scans)} photos wait already, and ${MAX_WAITING} is the most. Send or delete some first.`;
  }
  if (bytesOf(all) > MAX_WAITING_BYTES) {
    return `The photos that wait may take ${formatBytes(MAX_WAITING_BYTES)} together. Send or delete some first.`;
  }
  return null;
}
