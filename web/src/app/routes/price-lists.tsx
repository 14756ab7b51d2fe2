import { useQuery } from '@tanstack/react-query';
import { LoadFailure } from '@/components/load-failure';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { LoadingBlock } from '@/components/ui/skeleton';
import { authQueries } from '@/features/accounts/auth/queries';
import { PriceListsPanel } from '@/features/parts/price-lists/components/price-lists-panel';

/** The price lists that a shop has from its suppliers. */
export function PriceListsRoute() {
  const user = useQuery(authQueries.user());
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Price Lists</title>
      <header>
        <h1 className="page-title">Price Lists</h1>
        <p className="mt-1 max-w-xl text-soft">
          What your suppliers ask. Each price is shown with its list and its day.
        </p>
      </header>
      {user.isPending && <LoadingBlock label="Loading price lists" />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && (
        <SignInRequired picture={<Logbook />}>Sign in to keep price lists.</SignInRequired>
      )}
      {user.data != null && <PriceListsPanel inPlan={user.data.planType === 'business'} />}
    </div>
  );
}
