import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Notice } from '@/components/ui/notice';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { countPhotos, type ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import { countOf } from '@/lib/format';

// Most visits have nothing that waits.
const WaitingCard = lazyComponent(
  async () =>
    (await import('@/features/scanning/offline-queue/components/waiting-card')).WaitingCard,
);

type HomeWaitingProps = { userId: string; defaultVehicle: ScannedVehicle | null };

export function HomeWaiting({ userId, defaultVehicle }: HomeWaitingProps) {
  const waiting = useQuery(waitingQuery(userId));
  if (waiting.data === undefined || waiting.data.length === 0) return null;
  return (
    <ErrorBoundary
      what="The photos that wait"
      fallback={
        <Notice tone="info" title={`${countOf(countPhotos(waiting.data), 'photo')} not sent yet`}>
          Kept in this browser, and sent when the server can be reached.
        </Notice>
      }
    >
      <Suspense fallback={null}>
        <WaitingCard userId={userId} defaultVehicle={defaultVehicle} />
      </Suspense>
    </ErrorBoundary>
  );
}
