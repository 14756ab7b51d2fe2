import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { userQuery } from '@/api/user';
import { answerOf, canRetry, isIn, type BenchLine } from '@/features/bench/list/model';
import { resume } from '@/features/bench/list/resume';
import type { Change } from '@/features/bench/list/use-sending';
import { DELETED_SINCE, outbox } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { findWaiting, updateWaiting } from '@/features/scanning/offline-queue/store';
import { useSendWaiting } from '@/features/scanning/offline-queue/use-send-waiting';
import {
  scannedVehicle,
  type ScannedVehicle,
} from '@/features/scanning/offline-queue/waiting-scan';

/** How often what waits is sent, in ms. */
const SEND_AGAIN_MS = 5000;

/** Sends what waits as soon as there is a server, and gives each line what came of it; returns what sends one again. */
export function useCatchUp(
  userId: string,
  vehicle: ScannedVehicle | null,
  lines: BenchLine[],
  change: Change,
) {
  const sendWaiting = useSendWaiting(userId);
  const { sending, waitingFor } = useSyncExternalStore(outbox.subscribe, outbox.snapshot);
  const waiting = useQuery(waitingQuery(userId)).data;
  const isResumed = useResume(userId, lines);
  const isWaiting = isResumed && lines.some(({ answer }) => answer.state === 'waiting');

  useEffect(() => {
    if (!isWaiting) return;
    const trySend = () => {
      if (outbox.isDue()) sendWaiting().catch(() => undefined);
    };
    const tryAgain = () => {
      const { waitingFor: reason } = outbox.snapshot();
      // No later try does better where somebody must sign in first, or the allowance is used up.
      if (reason !== 'signed-out' && reason !== 'used-up') trySend();
    };
    trySend();
    const timer = setInterval(tryAgain, SEND_AGAIN_MS);
    window.addEventListener('online', trySend);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', trySend);
    };
  }, [isWaiting, sendWaiting]);

  const queryClient = useQueryClient();
  useEffect(() => {
    // The screen asks for the sign-in.
    if (waitingFor === 'signed-out') {
      void queryClient.invalidateQueries({ queryKey: userQuery().queryKey });
    }
  }, [waitingFor, queryClient]);

  // Those that were seen in the queue of this browser. A list that was read waits for what was in it when it was kept, and
  // another page may have sent that since.
  const [seen] = useState(
    () => new Set(lines.filter(({ answer }) => answer.state === 'waiting').map(({ key }) => key)),
  );
  useEffect(() => {
    for (const line of lines) {
      const { key, answer } = line;
      if (answer.state === 'sending' || answer.state === 'answered') continue;
      const result = outbox.answers.get(key);
      if (result !== undefined) {
        void change(key, answerOf(result));
        continue;
      }
      if (outbox.deleted.has(key)) {
        const isTold = answer.state === 'refused' && !canRetry(line);
        if (!isTold) void change(key, { state: 'refused', message: DELETED_SINCE });
        continue;
      }
      // What this page is sending leaves the queue before its answer is told; no other tab has it.
      if (!isResumed || waiting === undefined || sending === key) continue;
      const scan = waiting.find(({ id }) => id === key);
      if (scan === undefined) {
        // Another tab, or a page that is closed by now, has sent or deleted it.
        const wasQueued = (answer.state === 'waiting' && seen.has(key)) || canRetry(line);
        if (wasQueued) void change(key, { state: 'elsewhere' });
        continue;
      }
      seen.add(key);
      const { refusal, guess } = scan;
      if (refusal !== null) {
        if (!canRetry(line))
          void change(key, { state: 'refused', message: refusal.message, isKept: true });
      } else if (answer.state !== 'waiting') {
        // It is retried, or a page that was closed kept it without telling the list.
        void change(key, { state: 'waiting', guess: guess?.name ?? null, reason: 'again' });
      } else if ((waitingFor === 'used-up') !== (answer.reason === 'used-up')) {
        const reason = waitingFor === 'used-up' ? waitingFor : 'again';
        void change(key, { ...answer, reason });
      }
    }
  }, [lines, isResumed, waiting, sending, waitingFor, change, seen]);

  /** Sends a photo again that was refused; for the vehicle of the bench where its own was deleted. */
  return async ({ key }: BenchLine) => {
    const scan = await findWaiting(key);
    const isElsewhere = scan?.refusal?.vehicleGone === true && vehicle !== null;
    await updateWaiting(key, {
      refusal: null,
      ...(isElsewhere && { vehicle: scannedVehicle(vehicle) }),
    });
    await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
    await sendWaiting();
  };
}

/** Has the photos sent again that were on their way when the page was closed; whether all of them wait by now. */
function useResume(userId: string, lines: BenchLine[]): boolean {
  const queryClient = useQueryClient();
  const [isResumed, setIsResumed] = useState(false);
  const [keys] = useState(() =>
    lines.filter((line) => isIn(line) && line.answer.state === 'waiting').map(({ key }) => key),
  );
  useEffect(() => {
    const resumeAll = async () => {
      for (const key of keys) await resume(key);
      await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
    };
    // A browser that keeps nothing has none.
    void resumeAll()
      .catch(() => undefined)
      .then(() => setIsResumed(true));
  }, [userId, keys, queryClient]);
  return isResumed;
}
