import { useMutation } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Schemas } from '@/api/client';
import {
  benchList,
  currentOf,
  isGoing,
  isIn,
  left,
  type Answer,
  type BenchEvent,
  type BenchLine,
  type Said,
} from '@/features/bench/list/model';
import { changeKept, keepList, readList } from '@/features/bench/list/store';
import { useCatchUp } from '@/features/bench/list/use-catch-up';
import { useSending } from '@/features/bench/list/use-sending';
import { useTakingOut } from '@/features/bench/list/use-taking-out';
import type { Shot } from '@/features/bench/camera/frames';
import { feedbackMutations } from '@/features/scanning/feedback/mutations';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { newCallKey } from '@/lib/call-key';

type BenchListOptions = {
  userId: string;
  vehicle: ScannedVehicle | null;
  /** Something new is known of a line of the list; not that its photo waits on, nor what the browser guesses. */
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
    async (key: string, answer: Answer) => {
      const wasSending = linesNow().some(
        (one) => one.key === key && one.answer.state === 'sending',
      );
      dispatch({ type: 'changed', key, answer });
      if (hasLeft.current) return changeKept(userId, key, answer);
      const line = linesNow().find((one) => one.key === key);
      const isNews = answer.state !== 'waiting' || wasSending;
      if (line !== undefined && isIn(line) && isNews) latest.current.onAnswer(line);
      return true;
    },
    [userId, linesNow, dispatch],
  );
  const send = useSending(userId, vehicle, change);
  const retry = useCatchUp(userId, vehicle, lines, change);
  const choose = useChoosing(dispatch);
  const { takeOut, putBack, hold, sweepTakenOut } = useTakingOut({
    userId,
    linesNow,
    dispatch,
  });

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
    const key = newCallKey();
    // Listed before its photo is written, so that the list keeps the order of the table.
    dispatch({ type: 'added', key, at: Date.now(), bin, thumb });
    await send(key, await photo);
    if (hasLeft.current) sweepTakenOut();
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
    retry,
    read: (key: string, partNumber: string) => dispatch({ type: 'read', key, partNumber }),
    clear: () => {
      sweepTakenOut();
      dispatch({ type: 'cleared' });
    },
  };
}

/** The server keeps what it is told last: a digit that is pressed while the last one is being saved waits for it. */
const ONE_BY_ONE = { id: 'bench-said' };

type Telling = { key: string; scanId: string; said: Said | undefined };

/** Says what a part is; what was said already is taken back. */
function useChoosing(dispatch: (event: BenchEvent) => void) {
  const fail = useFailureToast();
  // By the keys of the lines of which something was said: what the server has, and what it is told last.
  const saved = useRef(new Map<string, Said | undefined>());
  const last = useRef(new Map<string, Telling>());
  const { mutate: tell } = useMutation({
    scope: ONE_BY_ONE,
    mutationFn: ({ scanId, said }: Telling) => tellServer(scanId, said),
    onSuccess: (_, { key, said }) => {
      saved.current.set(key, said);
    },
    onError: (error, telling) => {
      const { key } = telling;
      // What was said since is on its way.
      if (last.current.get(key) === telling) {
        dispatch({ type: 'said', key, said: saved.current.get(key) });
      }
      fail(error, 'Your answer could not be saved. Please try again.');
    },
  });

  return (line: BenchLine, said: Said) => {
    const { key, answer } = line;
    if (answer.state !== 'answered') return;
    const isSaid = answer.said !== undefined && answer.said?.label === said?.label;
    const next = isSaid ? undefined : said;
    if (!saved.current.has(key)) saved.current.set(key, answer.said);
    dispatch({ type: 'said', key, said: next });
    const telling = { key, scanId: answer.scanId, said: next };
    last.current.set(key, telling);
    tell(telling);
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
