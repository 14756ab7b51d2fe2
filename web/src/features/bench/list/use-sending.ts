import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, type Answer } from '@/features/bench/list/model';
import type { OnTheWay } from '@/features/bench/list/use-on-the-way';
import { identify } from '@/features/scanning/identify';
import { keepForLater } from '@/features/scanning/offline-queue/keep';
import { outbox, outcomeOf } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import { browserModelQuery } from '@/features/scanning/on-device/queries';
import { failureOf } from '@/features/scanning/scan-failure';
import type { Photo } from '@/lib/photos/photo';

/** An answer that takes longer is waited for in the background: the photo is kept and sent again under its name. */
const ANSWER_MS = 20_000;

/** Tells what became of the part of this key. */
export type Change = (key: string, answer: Answer) => void;

/** Sends a photograph, or keeps it where no server takes it. */
export function useSending(
  userId: string,
  vehicle: ScannedVehicle | null,
  change: Change,
  { begin, end, handOver }: OnTheWay,
) {
  const queryClient = useQueryClient();
  const { mutateAsync } = useMutation({ mutationFn: identify });

  const keep = async (key: string, photo: Photo, forVehicle: ScannedVehicle) => {
    try {
      const { guess } = await keepForLater({
        id: key,
        userId,
        vehicle: forVehicle,
        photos: [photo],
        isListed: true,
        guess: async (blob) => {
          // It is safe by now; the model may take a while to load.
          change(key, { state: 'waiting', guess: null });
          await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
          const { guessPhoto } = await import('@/features/scanning/on-device/guess-photo');
          return guessPhoto(blob, await queryClient.query(browserModelQuery()));
        },
      });
      const name = guess === null || guess.verdict === 'not-a-part' ? null : guess.name;
      if (name !== null && !outbox.answers.has(key)) {
        change(key, { state: 'waiting', guess: name });
      }
    } catch (error) {
      change(key, { state: 'refused', message: sentence(error) });
    }
  };

  return async (key: string, photo: Photo | null) => {
    if (photo === null || vehicle === null) {
      const message = photo === null ? 'The camera gave no picture.' : 'Add a vehicle first.';
      change(key, { state: 'refused', message });
      return;
    }
    begin(key, { photo, vehicle });
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      change(key, answerOf(await mutateAsync({ photos: [photo], key, vehicle, signal: late })));
    } catch (error) {
      const outcome = outcomeOf(error);
      // Nobody waits at a bench for the next month.
      if (late.aborted || (outcome.type === 'wait' && outcome.reason !== 'used-up')) {
        await handOver(key);
        await keep(key, photo, vehicle);
      } else change(key, { state: 'refused', message: sentence(error) });
    } finally {
      await end(key);
    }
  };
}

function sentence(error: unknown): string {
  const { message, advice } = failureOf(error);
  return advice === null ? message : `${message}. ${advice}`;
}
