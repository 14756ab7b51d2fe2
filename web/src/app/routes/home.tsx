import { useQuery } from '@tanstack/react-query';
import { WelcomeScreen } from '@/app/routes/home-welcome';
import { HomeScanner } from '@/app/routes/home-scanner';
import { LoadFailure } from '@/components/load-failure';
import { Spinner } from '@/components/ui/spinner';
import { authQueries } from '@/features/auth/queries';

export function HomeRoute() {
  const user = useQuery(authQueries.user());
  if (user.isPending) return <Spinner label="Loading..." />;
  // A failed refetch keeps what is on screen; only a first read that failed has nothing to show.
  if (user.isLoadingError) {
    return (
      <div className="page max-w-xl">
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      </div>
    );
  }
  return user.data === null ? <WelcomeScreen /> : <HomeScanner />;
}
