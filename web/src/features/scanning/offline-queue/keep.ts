import type { Guess } from '@/features/scanning/on-device/guess';
import type { Photo } from '@/lib/photos/photo';
import { addWaiting, updateWaiting } from '@/features/scanning/offline-queue/store';
import {
  keptPhoto,
  scannedVehicle,
  type ScannedVehicle,
  type WaitingScan,
} from '@/features/scanning/offline-queue/waiting-scan';

type KeepRequest = {
  /** The name of the scan: one that was sent without an answer keeps the name it was sent under. */
  id: string;
  userId: string;
  vehicle: ScannedVehicle;
  photos: Photo[];
  /** Asks the model in this browser; null where it cannot be asked. */
  guess: (photo: Blob) => Promise<Guess | null>;
  /** Whether a screen of its own will show the answer. */
  isListed?: boolean;
  /** Whether several parts are looked for. */
  isOfSeveral?: boolean;
};

/** Keeps the photographs of a part to be sent later, then guesses: what is kept is safe while the model loads. */
export async function keepForLater({
  id,
  userId,
  vehicle,
  photos,
  guess,
  isListed = false,
  isOfSeveral = false,
}: KeepRequest): Promise<WaitingScan> {
  const scan: WaitingScan = {
    id,
    userId,
    vehicle: scannedVehicle(vehicle),
    photos: await Promise.all(photos.map(keptPhoto)),
    takenAt: Date.now(),
    guess: null,
    refusal: null,
    ...(isListed && { isListed }),
    ...(isOfSeveral && { isOfSeveral }),
  };
  await addWaiting(scan);
  const guessed = await surest(photos, guess);
  if (guessed !== null) await updateWaiting(scan.id, { guess: guessed });
  return { ...scan, guess: guessed };
}

/** The guess for the photograph that shows a part best; one after another, to spare a phone. */
async function surest(photos: Photo[], guess: KeepRequest['guess']): Promise<Guess | null> {
  let best: Guess | null = null;
  for (const { blob } of photos) {
    const next = await guess(blob).catch(() => null);
    if (next !== null && (best === null || sureness(next) > sureness(best))) best = next;
  }
  return best;
}

function sureness({ verdict, confidence }: Guess): number {
  // Below every guess that names a part.
  return verdict === 'not-a-part' ? confidence - 1 : confidence;
}
