import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { ApiError } from '@/api/api-error';
import {
  isGoing,
  isIn,
  UNDO_MS,
  type BenchEvent,
  type BenchLine,
} from '@/features/bench/list/model';
import { isForgotten, resume } from '@/features/bench/list/resume';
import { historyMutations } from '@/features/scanning/history/mutations';
import { identify } from '@/features/scanning/identify';
import { outbox, outcomeOf } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { findWaiting, removeWaiting } from '@/features/scanning/offline-queue/store';
import { photosOf } from '@/features/scanning/offline-queue/waiting-scan';

/** How often it is looked whether a line that was taken out can go for good, in ms. */
const SWEEP_MS = 1000;
/** How often a photo is sent again to find the scan that came of it, in ms. */
const SEND_AGAIN_MS = 5000;

type TakingOutOptions = {
  userId: string;
  linesNow: () => BenchLine[];
  dispatch: (event: BenchEvent) => void;
};

/** Takes a line out of the list, and puts it back. What stays out goes for good a little later, with its scan. */
export function useTakingOut({ userId, linesNow, dispatch }: TakingOutOptions) {
  const queryClient = useQueryClient();
  const { mutateAsync: remove } = useMutation({ mutationFn: historyMutations.remove });

  const sweeping = useRef(new Set<string>());
  const sweep = useCallback(
    async (line: BenchLine) => {
      const { key, answer } = line;
      // A scan on its way has no id yet by which it could be deleted.
      const isSending = answer.state === 'sending' || outbox.snapshot().sending === key;
      if (isSending || sweeping.current.has(key)) return;
      sweeping.current.add(key);
      // Put back while its scan is deleted, or after that failed halfway, it would be a line without a scan.
      dispatch({ type: 'going', key });
      try {
        const scanId = answer.state === 'answered' ? answer.scanId : await findScan(key);
        if (scanId !== null) await remove(scanId).catch(throwUnlessGone);
        await removeWaiting(key);
        dispatch({ type: 'gone', key });
      } catch {
        // The server is away, or still at it: it is tried again.
        if (answer.state !== 'answered') await pause(SEND_AGAIN_MS);
      } finally {
        sweeping.current.delete(key);
      }
    },
    [remove, dispatch],
  );
  const sweepTakenOut = useCallback(() => {
    for (const line of linesNow()) if (!isIn(line)) void sweep(line);
  }, [linesNow, sweep]);
  // What somebody is about to put back, once for each button that does it.
  const held = useRef(new Set<{ key: string }>());
  const hold = useCallback((key: string) => {
    const one = { key };
    held.current.add(one);
    return () => void held.current.delete(one);
  }, []);
  useEffect(() => {
    // A page that was loaded anew shows for the whole time what can be put back.
    const openedAt = Date.now();
    const isDue = ({ key, takenOutAt }: BenchLine) =>
      takenOutAt !== null &&
      Date.now() - Math.max(takenOutAt, openedAt) >= UNDO_MS &&
      ![...held.current].some((one) => one.key === key);
    const timer = setInterval(() => {
      for (const line of linesNow()) if (isDue(line) || isGoing(line)) void sweep(line);
    }, SWEEP_MS);
    return () => clearInterval(timer);
  }, [linesNow, sweep]);

  /** Has the answer asked for of a part whose photo was on its way when the page was loaded anew. */
  const awaitAnswer = async (key: string) => {
    await resume(key);
    await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
  };

  return {
    takeOut: ({ key }: BenchLine) => dispatch({ type: 'taken-out', key, at: Date.now() }),
    putBack: ({ key, answer }: BenchLine) => {
      dispatch({ type: 'put-back', key });
      const isBack = linesNow().some((line) => line.key === key && isIn(line));
      if (isBack && ['waiting', 'elsewhere'].includes(answer.state)) void awaitAnswer(key);
    },
    /** Keeps what was taken out from going for good, until what it returns is called. */
    hold,
    /** Deletes at once what was taken out. */
    sweepTakenOut,
  };
}

/** The id of the scan that came of a photo whose answer no page has seen; null where there is none. */
async function findScan(key: string): Promise<string | null> {
  const sent = await findWaiting(key);
  // Sent again after a day it would be another scan, and count once more.
  if (sent?.isTakenOut !== true || isForgotten(sent)) return null;
  try {
    // What the server has answered under this name is answered again, and made no second time.
    return (await identify({ photos: photosOf(sent), key, vehicle: sent.vehicle })).id;
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.type === 'wait' && outcome.reason !== 'used-up') throw error;
    return null;
  }
}

function throwUnlessGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
