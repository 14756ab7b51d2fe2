import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import type { Schemas } from '@/api/client';
import { outbox } from '@/features/scanning/offline-queue/outbox';
import { forgetOwner, writeOwner } from '@/features/scanning/offline-queue/store';
import { unsentQuery } from '@/features/scanning/offline-queue/queries';
import { useSendWaiting } from '@/features/scanning/offline-queue/use-send-waiting';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

/** How often what waits is tried while the server says no time, in ms. */
const SEND_AGAIN_MS = 30_000;

type OfflineSupportProps = {
  /** The signed-in user; null for a visitor. */
  user: Schemas['User'] | null;
};

/**
 * Shows nothing: it remembers for whom photos may be kept without a server, sends what waits, and forgets what forms
 * kept and the screens read for anybody else.
 */
export function OfflineSupport({ user }: OfflineSupportProps) {
  const userId = user?.id;
  useEffect(() => {
    if (userId === undefined) {
      // A browser without storage goes on without.
      forgetOwner().catch(() => undefined);
      return;
    }
    // Nothing on screen waits for it, and where its code does not arrive the next start does it.
    import('@/app/shell/person-came')
      .then((module) => module.personCame(userId))
      .catch(() => undefined);
  }, [userId]);
  return userId === undefined ? null : <Sender userId={userId} />;
}

type SenderProps = { userId: string };

function Sender({ userId }: SenderProps) {
  const vehicle = useQuery(vehicleQueries.default()).data;
  useEffect(() => {
    if (vehicle === undefined) return;
    writeOwner({ userId, vehicle }).catch(() => undefined);
  }, [userId, vehicle]);

  const send = useSendWaiting(userId);
  const { waitingFor, retryAfter } = useSyncExternalStore(outbox.subscribe, outbox.snapshot);
  useEffect(() => {
    const trySend = () => {
      if (!document.hidden && outbox.isDue()) send().catch(() => undefined);
    };
    trySend();
    window.addEventListener('online', trySend);
    document.addEventListener('visibilitychange', trySend);
    return () => {
      window.removeEventListener('online', trySend);
      document.removeEventListener('visibilitychange', trySend);
    };
  }, [send]);
  // Also one that was kept after the last round: nothing else may begin a round for it.
  const isUnsent = useQuery(unsentQuery(userId)).data ?? false;
  useEffect(() => {
    // No later try does better where somebody must sign in first, or the allowance is used up.
    if (!isUnsent || waitingFor === 'signed-out' || waitingFor === 'used-up') return;
    const pause = retryAfter === null ? SEND_AGAIN_MS : retryAfter * 1000;
    const timer = setInterval(() => void send().catch(() => undefined), pause);
    return () => clearInterval(timer);
  }, [isUnsent, waitingFor, retryAfter, send]);
  return null;
}
