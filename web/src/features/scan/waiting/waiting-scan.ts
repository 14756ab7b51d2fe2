import type { Schemas } from '@/api/client';
import type { Guess } from '@/features/scan/on-device/guess';
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

/** A photograph that was taken without a server and waits in this browser to be sent. */
export type WaitingScan = {
  id: string;
  /** Whose it is. Nobody else sees it or sends it. */
  userId: string;
  vehicle: ScannedVehicle;
  /** Bytes, not a `Blob`: some browsers cannot store one. */
  photo: { bytes: ArrayBuffer; type: string; name: string };
  /** When it was taken, in ms since 1970. */
  takenAt: number;
  /** What the model in this browser takes it for; null where it could not be asked. */
  guess: Guess | null;
  /** Why it was refused when it was sent; null while it has not been. */
  refusal: Refusal | null;
};

export type Refusal = {
  message: string;
  /** Its vehicle was deleted: it can only be sent for another one. */
  vehicleGone: boolean;
};

/** Who uses this browser, for as long as they are signed in. */
export type Owner = { userId: string; vehicle: ScannedVehicle | null };

export function photoOf({ photo }: WaitingScan): Photo {
  return { blob: new Blob([photo.bytes], { type: photo.type }), name: photo.name };
}

export function bytesOf(scans: WaitingScan[]): number {
  return scans.reduce((sum, { photo }) => sum + photo.bytes.byteLength, 0);
}

/** Why no photograph of `bytes` fits beside `scans`; null when it does. */
export function noRoomFor(bytes: number, scans: WaitingScan[]): string | null {
  if (scans.length >= MAX_WAITING) {
    return `${MAX_WAITING} photos wait already, which is the most. Send or delete some first.`;
  }
  if (bytesOf(scans) + bytes > MAX_WAITING_BYTES) {
    return `The photos that wait may take ${formatBytes(MAX_WAITING_BYTES)} together. Send or delete some first.`;
  }
  return null;
}
