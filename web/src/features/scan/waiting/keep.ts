import type { Guess } from '@/features/scan/on-device/guess';
import type { Photo } from '@/lib/photos/photo';
import { addWaiting, updateWaiting } from '@/features/scan/waiting/store';
import {
  scannedVehicle,
  type ScannedVehicle,
  type WaitingScan,
} from '@/features/scan/waiting/waiting-scan';

type KeepRequest = {
  userId: string;
  vehicle: ScannedVehicle;
  photo: Photo;
  /** Asks the model in this browser; null where it cannot be asked. */
  guess: (photo: Blob) => Promise<Guess | null>;
};

/** Keeps a photograph to be sent later, then guesses: what is kept is safe while the model loads. */
export async function keepForLater({
  userId,
  vehicle,
  photo,
  guess,
}: KeepRequest): Promise<WaitingScan> {
  const scan: WaitingScan = {
    id: newId(),
    userId,
    vehicle: scannedVehicle(vehicle),
    photo: { bytes: await photo.blob.arrayBuffer(), type: photo.blob.type, name: photo.name },
    takenAt: Date.now(),
    guess: null,
    refusal: null,
  };
  await addWaiting(scan);
  const guessed = await guess(photo.blob).catch(() => null);
  if (guessed !== null) await updateWaiting(scan.id, { guess: guessed });
  return { ...scan, guess: guessed };
}

/** `crypto.randomUUID` is missing on pages that came over plain HTTP. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
