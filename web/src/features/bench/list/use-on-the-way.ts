import { useCallback, useRef } from 'react';
import { isIn, type BenchLine } from '@/features/bench/list/model';
import { addWaiting, removeWaiting } from '@/features/scanning/offline-queue/store';
import {
  keptPhoto,
  scannedVehicle,
  type ScannedVehicle,
} from '@/features/scanning/offline-queue/waiting-scan';
import type { Photo } from '@/lib/photos/photo';

type Sent = { photo: Photo; vehicle: ScannedVehicle };

export type OnTheWay = {
  /** The photo of the part of this key is sent from now on. */
  begin: (key: string, sent: Sent) => void;
  /** It is known what became of it. */
  end: (key: string) => Promise<void>;
  /** It is not known, and the photo is about to be kept under this key to be sent again. */
  handOver: (key: string) => Promise<void>;
  /** The part was taken out, or put back. */
  settle: (key: string) => Promise<void>;
};

/**
 * The photos that the server has and has not answered. The browser keeps those of parts that were taken out: after a
 * reload the scan that came of one can be found, to be deleted, only by sending its photo again under its name.
 */
export function useOnTheWay(userId: string, linesNow: () => BenchLine[]): OnTheWay {
  const sent = useRef(new Map<string, Sent>());
  const kept = useRef(new Set<string>());
  // One after another: what is taken out and put back quickly must not be kept after it is forgotten.
  const turn = useRef(Promise.resolve());

  const settle = useCallback(
    (key: string) => {
      const act = async () => {
        const one = sent.current.get(key);
        const isOut = linesNow().some((line) => line.key === key && !isIn(line));
        if (one !== undefined && isOut && !kept.current.has(key)) {
          await addWaiting({
            id: key,
            userId,
            vehicle: scannedVehicle(one.vehicle),
            photos: [await keptPhoto(one.photo)],
            takenAt: Date.now(),
            guess: null,
            refusal: null,
            isListed: true,
            isTakenOut: true,
          });
          kept.current.add(key);
        } else if ((one === undefined || !isOut) && kept.current.delete(key)) {
          await removeWaiting(key);
        }
      };
      // A browser that keeps nothing leaves a scan in the history at worst.
      turn.current = turn.current.then(act).catch(() => undefined);
      return turn.current;
    },
    [userId, linesNow],
  );
  const begin = useCallback<OnTheWay['begin']>(
    (key, one) => {
      sent.current.set(key, one);
      // It may have been taken out before its photo was written.
      void settle(key);
    },
    [settle],
  );
  const end = useCallback(
    (key: string) => {
      sent.current.delete(key);
      return settle(key);
    },
    [settle],
  );
  const handOver = useCallback(async (key: string) => {
    sent.current.delete(key);
    // What is being kept by now would else take the place of what is kept next, and be forgotten in its place.
    await turn.current;
    kept.current.delete(key);
  }, []);
  return { begin, end, handOver, settle };
}
