import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { ApiError } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import {
  answerOf,
  benchList,
  currentOf,
  isGoing,
  isIn,
  left,
  UNDO_MS,
  type Answer,
  type BenchEvent,
  type BenchLine,
  type Said,
} from '@/features/bench/list/model';
import { keepList, readList } from '@/features/bench/list/store';
import type { Shot } from '@/features/bench/camera/frames';
import { feedbackMutations } from '@/features/scanning/feedback/mutations';
import { historyMutations } from '@/features/scanning/history/mutations';
import { identify } from '@/features/scanning/identify';
import { keepForLater, newScanId } from '@/features/scanning/offline-queue/keep';
import { outbox, outcomeOf } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { removeWaiting } from '@/features/scanning/offline-queue/store';
import { useSendWaiting } from '@/features/scanning/offline-queue/use-send-waiting';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import { browserModelQuery } from '@/features/scanning/on-device/queries';
import { failureOf } from '@/features/scanning/scan-failure';
import { useFailureToast } from '@/hooks/use-failure-toast';
import type { Photo } from '@/lib/photos/photo';

/** An answer that takes longer is waited for in the background: the photo is kept and sent again under its name. */
const ANSWER_MS = 20_000;
/** How often what waits is sent, in ms. */
const SEND_AGAIN_MS = 5000;
/** How often it is looked whether a line that was taken out can go for good, in ms. */
const SWEEP_MS = 1000;

type BenchListOptions = {
  userId: string;
  vehicle: ScannedVehicle | null;
  /** Something new is known of a line of the list; not what the browser guesses while the photo waits. */
  onAnswer: (line: BenchLine) => void;
};

/** The running list of the bench, with all that happens to its lines. */
export function useBenchList({ userId, vehicle, onAnswer }: BenchListOptions) {
  const [kept] = useState(() => readList(userId));
  const [lines, setLines] = useState(kept.lines);
  // What ends later than it began is for the list as it is by then, also before that is drawn.
  const now = useRef(lines);
  const linesNow = useCallback(() => now.current, []);
  const dispatch = useCallback((event: BenchEvent) => {
    now.current = benchList(now.current, event);
    setLines(now.current);
  }, []);
  const [bin, setBin] = useState(kept.bin);
  const [isKept, setIsKept] = useState(true);
  useEffect(() => {
    // What the browser made of it is known only once it was asked.
    // eslint-disable-next-line react-hooks/set-state-in-effect -- see above
    setIsKept(keepList(userId, { lines, bin }));
  }, [userId, lines, bin]);

  const latest = useRef({ bin, onAnswer });
  useEffect(() => {
    latest.current = { bin, onAnswer };
  }, [bin, onAnswer]);

  // An answer may come after the bench was left for another screen.
  const hasLeft = useRef(false);
  const change = useCallback(
    (key: string, answer: Answer) => {
      dispatch({ type: 'changed', key, answer });
      if (hasLeft.current) return;
      const line = linesNow().find((one) => one.key === key);
      const isGuess = answer.state === 'waiting' && answer.guess !== null;
      if (line !== undefined && isIn(line) && !isGuess) latest.current.onAnswer(line);
    },
    [linesNow, dispatch],
  );
  const send = useSending(userId, vehicle, change);
  useCatchUp(userId, lines, change);
  const { choose, takeOut, putBack, hold, sweepTakenOut } = useCorrections(linesNow, dispatch);

  useEffect(() => {
    hasLeft.current = false;
    return () => {
      hasLeft.current = true;
      // A reload does not come by here: what was taken out can still be put back after it.
      keepList(userId, { lines: left(linesNow()), bin: latest.current.bin });
      sweepTakenOut();
    };
  }, [userId, linesNow, sweepTakenOut]);

  const scan = async ({ photo, thumb }: Shot) => {
    const key = newScanId();
    // Listed before its photo is written, so that the list keeps the order of the table.
    dispatch({ type: 'added', key, at: Date.now(), bin, thumb });
    await send(key, await photo);
  };

  return {
    lines: lines.filter((line) => !isGoing(line)),
    current: currentOf(lines),
    bin,
    setBin,
    /** Whether the browser keeps the list over a reload. */
    isKept,
    scan,
    choose,
    takeOut,
    putBack,
    hold,
    read: (key: string, partNumber: string) => dispatch({ type: 'read', key, partNumber }),
    clear: () => {
      sweepTakenOut();
      dispatch({ type: 'cleared' });
    },
  };
}

type Change = (key: string, answer: Answer) => void;

/** Sends a photograph, or keeps it where no server takes it. */
function useSending(userId: string, vehicle: ScannedVehicle | null, change: Change) {
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
    const late = AbortSignal.timeout(ANSWER_MS);
    try {
      change(key, answerOf(await mutateAsync({ photos: [photo], key, vehicle, signal: late })));
    } catch (error) {
      if (late.aborted || outcomeOf(error).type === 'wait') await keep(key, photo, vehicle);
      else change(key, { state: 'refused', message: sentence(error) });
    }
  };
}

function sentence(error: unknown): string {
  const { message, advice } = failureOf(error);
  return advice === null ? message : `${message}. ${advice}`;
}

/** Sends what waits as soon as there is a server, and gives each line the answer that came for it. */
function useCatchUp(userId: string, lines: BenchLine[], change: Change) {
  const sendWaiting = useSendWaiting(userId);
  const { sending } = useSyncExternalStore(outbox.subscribe, outbox.snapshot);
  const waiting = useQuery(waitingQuery(userId)).data;
  const isWaiting = lines.some(({ answer }) => answer.state === 'waiting');

  useEffect(() => {
    if (!isWaiting) return;
    const trySend = () => {
      if (outbox.isDue()) sendWaiting().catch(() => undefined);
    };
    trySend();
    const timer = setInterval(trySend, SEND_AGAIN_MS);
    window.addEventListener('online', trySend);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', trySend);
    };
  }, [isWaiting, sendWaiting]);

  // Those that were seen in the queue of this browser.
  const seen = useRef(new Set<string>());
  useEffect(() => {
    for (const { key, answer } of lines) {
      if (answer.state !== 'waiting' && answer.state !== 'elsewhere') continue;
      const result = outbox.answers.get(key);
      if (result !== undefined) {
        change(key, answerOf(result));
        continue;
      }
      // What this page is sending leaves the queue before its answer is told; no other tab has it.
      if (waiting === undefined || sending === key) continue;
      const scan = waiting.find(({ id }) => id === key);
      if (scan !== undefined) seen.current.add(key);
      if (scan?.refusal != null) change(key, { state: 'refused', message: scan.refusal.message });
      // A page that was closed may have kept it without telling the list.
      else if (scan !== undefined && answer.state === 'elsewhere') {
        change(key, { state: 'waiting', guess: scan.guess?.name ?? null });
      } else if (scan === undefined && answer.state === 'waiting' && seen.current.has(key)) {
        // Another tab has sent it.
        change(key, { state: 'elsewhere' });
      }
    }
  }, [lines, waiting, sending, change]);
}

/** What people do with a line: say what it is, take it out, put it back. */
function useCorrections(linesNow: () => BenchLine[], dispatch: (event: BenchEvent) => void) {
  const fail = useFailureToast();
  const { mutate: tell } = useMutation({
    mutationFn: ({
      scanId,
      said,
    }: {
      key: string;
      scanId: string;
      said: Said | undefined;
      before: Said | undefined;
    }) => tellServer(scanId, said),
    onError: (error, { key, before }) => {
      dispatch({ type: 'said', key, said: before });
      fail(error, 'Your answer could not be saved. Please try again.');
    },
  });
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
    /** Says what the part is; what was said already is taken back. */
    choose: (line: BenchLine, said: Said) => {
      const { key, answer } = line;
      if (answer.state !== 'answered') return;
      const isSaid = answer.said !== undefined && answer.said?.label === said?.label;
      const next = isSaid ? undefined : said;
      dispatch({ type: 'said', key, said: next });
      tell({ key, scanId: answer.scanId, said: next, before: answer.said });
    },
    takeOut: (line: BenchLine) => dispatch({ type: 'taken-out', key: line.key, at: Date.now() }),
    putBack: (line: BenchLine) => dispatch({ type: 'put-back', key: line.key }),
    /** Keeps what was taken out from going for good, until what it returns is called. */
    hold,
    /** Deletes at once what was taken out. */
    sweepTakenOut,
  };
}

async function tellServer(scanId: string, said: Said | undefined): Promise<void> {
  if (said === undefined) {
    await feedbackMutations.remove(scanId)();
    return;
  }
  const body: Schemas['NewScanFeedback'] =
    said === null ? { answer: 'not-a-part' } : { answer: 'other-part', label: said.label };
  await feedbackMutations.give(scanId)(body);
}
