import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { ApiError } from '@/api/api-error';
import {
  isGoing,
  isIn,
  UNDO_MS,
  type BenchEvent,
  type BenchLine,
} from '@/features/bench/list/model';
import { historyMutations } from '@/features/scanning/history/mutations';
import { removeWaiting } from '@/features/scanning/offline-queue/store';

/** How often it is looked whether a line that was taken out can go for good, in ms. */
const SWEEP_MS = 1000;

/** Takes a line out of the list, and puts it back. What stays out goes for good a little later, with its scan. */
export function useTakingOut(linesNow: () => BenchLine[], dispatch: (event: BenchEvent) => void) {
  const { mutateAsync: remove } = useMutation({ mutationFn: historyMutations.remove });

  const sweeping = useRef(new Set<string>());
  const sweep = useCallback(
    async (line: BenchLine) => {
      const { key, answer } = line;
      // A scan on its way has no id yet by which it could be deleted.
      if (answer.state === 'sending' || sweeping.current.has(key)) return;
      sweeping.current.add(key);
      // Put back while its scan is deleted, or after that failed halfway, it would be a line without a scan.
      dispatch({ type: 'going', key });
      try {
        if (answer.state === 'answered') await remove(answer.scanId);
        await removeWaiting(key);
        dispatch({ type: 'gone', key });
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) dispatch({ type: 'gone', key });
        // Else the server is away: it is tried again.
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

  return {
    takeOut: (line: BenchLine) => dispatch({ type: 'taken-out', key: line.key, at: Date.now() }),
    putBack: (line: BenchLine) => dispatch({ type: 'put-back', key: line.key }),
    /** Keeps what was taken out from going for good, until what it returns is called. */
    hold,
    /** Deletes at once what was taken out. */
    sweepTakenOut,
  };
}
