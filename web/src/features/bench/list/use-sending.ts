import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '@/api/user';
import { answerOf, type Answer, type WaitReason } from '@/features/bench/list/model';
import { identify } from '@/features/scanning/identify';
import { keepForLater } from '@/features/scanning/offline-queue/keep';
import { outbox, outcomeOf } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { addWaiting, removeWaiting } from '@/features/scanning/offline-queue/store';
import {
  keptPhoto,
  scannedVehicle,
  type ScannedVehicle,
} from '@/features/scanning/offline-queue/waiting-scan';
import { browserModelQuery } from '@/features/scanning/on-device/queries';
import { failureOf } from '@/features/scanning/scan-failure';
import type { Photo } from '@/lib/photos/photo';
import { holdUnsavedWork } from '@/lib/unsaved-work';

/** An answer that takes longer is waited for in the background: the photo is kept and sent again under its name. */
const ANSWER_MS = 20_000;

/** Tells what became of the part of this key; false where the list is another page's by now, which has to ask itself. */
export type Change = (key: string, answer: Answer) => Promise<boolean>;

/** Sends a photograph, or keeps it where no server takes it. */
export function useSending(userId: string, vehicle: ScannedVehicle | null, change: Change) {
  const queryClient = useQueryClient();
  const { mutateAsync } = useMutation({ mutationFn: identify });

  /** It is known what became of the part: its photo is needed no more, once the list knows it as well. */
  const end = async (key: string, answer: Answer) => {
    if (await change(key, answer)) await removeWaiting(key).catch(() => undefined);
  };

  const keep = async (
    key: string,
    photo: Photo,
    forVehicle: ScannedVehicle,
    why: { reason?: WaitReason },
  ) => {
    try {
      const { guess } = await keepForLater({
        id: key,
        userId,
        vehicle: forVehicle,
        photos: [photo],
        isListed: true,
        guess: async (blob) => {
          // It is safe by now; the model may take a while to load.
          void change(key, { state: 'waiting', guess: null, ...why });
          await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
          const { guessPhoto } = await import('@/features/scanning/on-device/guess-photo');
          return guessPhoto(blob, await queryClient.query(browserModelQuery()));
        },
      });
      const name = guess === null || guess.verdict === 'not-a-part' ? null : guess.name;
      if (name !== null && !outbox.answers.has(key)) {
        await change(key, { state: 'waiting', guess: name, ...why });
      }
    } catch (error) {
      await end(key, { state: 'refused', message: sentence(error) });
    }
  };

  return async (key: string, photo: Photo | null) => {
    if (photo === null || vehicle === null) {
      const message = photo === null ? 'The camera gave no picture.' : 'Add a vehicle first.';
      await change(key, { state: 'refused', message });
      return;
    }
    const isKept = await keepOnTheWay(userId, key, photo, vehicle);
    // A reload would lose what this browser does not keep.
    const letGo = isKept ? undefined : holdUnsavedWork();
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      const sent = mutateAsync({ photos: [photo], key, vehicle, signal: late }).finally(letGo);
      await end(key, answerOf(await sent));
    } catch (error) {
      const outcome = outcomeOf(error);
      // Nobody waits at a bench for the next month.
      const waits = late.aborted || (outcome.type === 'wait' && outcome.reason !== 'used-up');
      const isSignedOut = outcome.type === 'wait' && outcome.reason === 'signed-out';
      // The screen asks for the sign-in.
      if (isSignedOut) void queryClient.invalidateQueries({ queryKey: userQuery().queryKey });
      if (waits) await keep(key, photo, vehicle, isSignedOut ? { reason: 'signed-out' } : {});
      else await end(key, { state: 'refused', message: sentence(error) });
    }
  };
}

/**
 * Keeps a photo that is about to be sent, until it is known what became of it: after a reload it is sent again under its
 * name, by which the server knows the scan. Nothing else shows or sends it meanwhile, as if its part were taken out.
 */
async function keepOnTheWay(
  userId: string,
  key: string,
  photo: Photo,
  vehicle: ScannedVehicle,
): Promise<boolean> {
  try {
    await addWaiting({
      id: key,
      userId,
      vehicle: scannedVehicle(vehicle),
      photos: [await keptPhoto(photo)],
      takenAt: Date.now(),
      guess: null,
      refusal: null,
      isListed: true,
      isTakenOut: true,
    });
    return true;
  } catch {
    return false;
  }
}

function sentence(error: unknown): string {
  const { message, advice } = failureOf(error);
  return advice === null ? message : `${message}. ${advice}`;
}
