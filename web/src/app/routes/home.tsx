import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { WelcomeScreen } from '@/app/routes/home-welcome';
import { HomeScanner } from '@/app/routes/home-scanner';
import { UnreachableError } from '@/api/api-error';
import { LoadFailure } from '@/components/load-failure';
import { Spinner } from '@/components/ui/spinner';
import { authQueries } from '@/features/accounts/auth/queries';

// Needed only without a server.
const HomeOffline = lazy(async () => ({
  default: (await import('@/app/routes/home-offline')).HomeOffline,
}));

export function HomeRoute() {
  const user = useQuery(authQueries.user());
  if (user.isPending) return <Spinner label="Loading..." />;
  // A failed refetch keeps what is on screen; only a first read that failed has nothing to show.
  if (user.isLoadingError && user.error instanceof UnreachableError) {
    return (
      <Suspense fallback={<Spinner label="Loading..." />}>
        <HomeOffline user={user} />
      </Suspense>
    );
  }
  if (user.isLoadingError) {
    return (
      <div className="page max-w-xl">
        <LoadFailure what="Your account" query={user} />
      </div>
    );
  }
  return user.data === null ? <WelcomeScreen /> : <HomeScanner user={user.data} />;
}
