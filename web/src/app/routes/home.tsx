import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { HomeScanner } from '@/app/routes/home-scanner';
import { UnreachableError } from '@/api/api-error';
import { lazyComponent } from '@/components/lazy-component';
import { LoadFailure } from '@/components/load-failure';
import { Spinner } from '@/components/ui/spinner';
import { authQueries } from '@/features/accounts/auth/queries';

// Needed only without a server.
const HomeOffline = lazyComponent(
  async () => (await import('@/app/routes/home-offline')).HomeOffline,
);

// Needed by nobody who is signed in.
const WelcomeScreen = lazyComponent(
  async () => (await import('@/app/routes/home-welcome')).WelcomeScreen,
);

export function HomeRoute() {
  const user = useQuery(authQueries.user());
  const loading = <Spinner label="Loading..." />;
  const [isAway, setAway] = useState(false);
  // A failed refetch keeps what is on screen; only a first read that failed has nothing to show.
  if (!isAway && user.isLoadingError && user.error instanceof UnreachableError) setAway(true);
  // It holds photos and a camera: asking the server again is no reason to draw something else.
  if (isAway) {
    return (
      <Suspense fallback={loading}>
        <HomeOffline user={user} onReturn={() => setAway(false)} />
      </Suspense>
    );
  }
  if (user.isPending) return loading;
  if (user.isLoadingError) {
    return (
      <div className="page max-w-xl">
        <LoadFailure what="Your account" query={user} />
      </div>
    );
  }
  if (user.data !== null) return <HomeScanner user={user.data} />;
  return (
    <Suspense fallback={loading}>
      <WelcomeScreen />
    </Suspense>
  );
}
