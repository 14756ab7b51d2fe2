import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { EmptyShelf } from '@/components/empty-shelf';
import { LoadFailure } from '@/components/load-failure';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { LoadingBlock } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';
import { ManageSubscription } from '@/features/plans/subscription/components/manage-subscription';

export function ManageSubscriptionRoute() {
  const user = useQuery(authQueries.user());
  const justPaid = useJustPaid();
  return (
    <div className="page grid max-w-2xl gap-5">
      <title>Partsight - Manage Subscription</title>
      <header className="grid justify-items-start gap-3">
        <Button asChild look="ghost" size="small" className="-ml-3">
          <Link to={paths.profile}>
            <ArrowLeft className="size-4" aria-hidden />
            Back to Profile
          </Link>
        </Button>
        <h1 className="page-title">Subscription</h1>
      </header>
      {user.isPending && <LoadingBlock label="Loading your subscription" rowClassName="h-32" />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {user.data === null && (
        <SignInRequired picture={<EmptyShelf />}>Sign in to see your subscription.</SignInRequired>
      )}
      {user.data != null && <ManageSubscription justPaid={justPaid} />}
    </div>
  );
}

/** Reads the news of a payment from the address once, and cleans the address up. */
function useJustPaid(): boolean {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const [justPaid] = useState(
    () => query.get('success') === 'true' && query.get('redirect_status') !== 'failed',
  );
  const toClean = query.size > 0;
  useEffect(() => {
    if (toClean) void navigate(paths.manageSubscription, { replace: true });
  }, [toClean, navigate]);
  return justPaid;
}
