import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { waitingQuery } from '@/features/scan/waiting/queries';
import type { ScannedVehicle } from '@/features/scan/waiting/waiting-scan';

// Most visits have nothing that waits.
const WaitingCard = lazy(async () => ({
  default: (await import('@/features/scan/waiting/waiting-card')).WaitingCard,
}));

type HomeWaitingProps = { userId: string; defaultVehicle: ScannedVehicle | null };

export function HomeWaiting({ userId, defaultVehicle }: HomeWaitingProps) {
  const waiting = useQuery(waitingQuery(userId));
  if (waiting.data === undefined || waiting.data.length === 0) return null;
  return (
    <ErrorBoundary what="The photos that wait">
      <Suspense fallback={null}>
        <WaitingCard userId={userId} defaultVehicle={defaultVehicle} />
      </Suspense>
    </ErrorBoundary>
  );
}
