import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useRef, useSyncExternalStore } from 'react';
import { waitNamed } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { outbox, type OutboxState } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { removeWaiting, updateWaiting } from '@/features/scanning/offline-queue/store';
import { useSendWaiting } from '@/features/scanning/offline-queue/use-send-waiting';
import { WaitingRow } from '@/features/scanning/offline-queue/components/waiting-row';
import {
  bytesOf,
  countPhotos,
  type ScannedVehicle,
  type WaitingScan,
} from '@/features/scanning/offline-queue/waiting-scan';
import { countOf, formatBytes } from '@/lib/format';

type WaitingCardProps = { userId: string; defaultVehicle: ScannedVehicle | null };

const REASONS: Record<NonNullable<OutboxState['waitingFor']>, string> = {
  unreachable: 'The server cannot be reached. They are sent when it can be.',
  busy: 'The server is busy. They are sent in a moment.',
  'used-up':
    'Your scans of this month are used up. They are sent when there are more, with the next month or a larger plan.',
  'another-tab': 'Another tab of this app is sending them.',
  'signed-out': 'You are signed out. They are sent once you have signed in again.',
};

/** The photographs that wait in this browser to be sent; nothing where none does. */
export function WaitingCard({ userId, defaultVehicle }: WaitingCardProps) {
  const queryClient = useQueryClient();
  const { data: scans = [] } = useQuery(waitingQuery(userId));
  const { sending, waitingFor, retryAfter } = useSyncExternalStore(
    outbox.subscribe,
    outbox.snapshot,
  );
  const send = useSendWaiting(userId);
  const heading = useRef<HTMLHeadingElement>(null);
  if (scans.length === 0) return null;

  const reload = () => queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
  const retry = async ({ id, refusal }: WaitingScan) => {
    const elsewhere = refusal?.vehicleGone === true && defaultVehicle !== null;
    await updateWaiting(id, { refusal: null, ...(elsewhere && { vehicle: defaultVehicle }) });
    await reload();
    await send();
  };

  return (
    <Card aria-labelledby="waiting-title" className="grid grid-cols-1 gap-3">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="waiting-title" ref={heading} tabIndex={-1} className="section-title">
            Waiting to Be Sent
          </h2>
          <p className="text-sm text-muted">
            {countOf(countPhotos(scans), 'photo')}, {formatBytes(bytesOf(scans))}, kept in this
            browser
          </p>
        </div>
        <Button
          size="small"
          disabled={sending !== null || scans.every(({ refusal }) => refusal !== null)}
          onClick={() => void send()}
        >
          <Send className="size-4" aria-hidden />
          {sending === null ? 'Send Now' : 'Sending...'}
        </Button>
      </header>
      <p role="status" className="text-sm text-soft empty:hidden">
        {waitingFor !== null && waitNamed(REASONS[waitingFor], retryAfter)}
      </p>
      <ul className="grid grid-cols-1 divide-y border-t">
        {scans.map((scan) => (
          <WaitingRow
            key={scan.id}
            scan={scan}
            sending={sending === scan.id}
            canRetry={scan.refusal?.vehicleGone !== true || defaultVehicle !== null}
            heading={heading}
            onRetry={() => void retry(scan)}
            onDelete={() => void removeWaiting(scan.id).then(reload)}
          />
        ))}
      </ul>
    </Card>
  );
}
