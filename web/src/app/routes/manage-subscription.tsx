import { useEffect, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { SubpageHeader } from '@/app/routes/profile/subpage-header';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { ManageSubscription } from '@/features/plans/subscription/components/manage-subscription';

export function ManageSubscriptionRoute() {
  const justPaid = useJustPaid();
  return (
    <div className="page grid max-w-2xl gap-5">
      <title>Partsight - Manage Subscription</title>
      <SubpageHeader title="Subscription" />
      <SignedIn
        label="Loading your subscription"
        rowClassName="h-32"
        visitor={
          <SignInRequired picture={<EmptyShelf />}>
            Sign in to see your subscription.
          </SignInRequired>
        }
      >
        {() => <ManageSubscription justPaid={justPaid} />}
      </SignedIn>
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
