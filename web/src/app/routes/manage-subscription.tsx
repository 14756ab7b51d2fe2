import { useEffect, useRef, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { SubpageHeader } from '@/app/routes/profile/subpage-header';
import { EmptyShelf } from '@/components/empty-shelf';
import { SignInRequired } from '@/components/sign-in-required';
import { useToast } from '@/components/ui/use-toast';
import { paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { ManageSubscription } from '@/features/plans/subscription/components/manage-subscription';

export function ManageSubscriptionRoute() {
  const news = usePaymentNews();
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
        {() => <ManageSubscription justPaid={news === 'paid'} />}
      </SignedIn>
    </div>
  );
}

/** Reads the news of a payment from the address once, says one that failed, and cleans the address up. */
function usePaymentNews(): 'paid' | 'failed' | null {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const toast = useToast();
  const [news] = useState(() => newsOf(query));
  const isSaid = useRef(false);
  useEffect(() => {
    if (news !== 'failed' || isSaid.current) return;
    isSaid.current = true;
    toast({
      title: 'Payment Failed',
      description: 'Your bank or card did not approve it. Nothing was charged.',
      tone: 'bad',
    });
  }, [news, toast]);
  const toClean = query.size > 0;
  useEffect(() => {
    if (toClean) void navigate(paths.manageSubscription, { replace: true });
  }, [toClean, navigate]);
  return news;
}

function newsOf(query: URLSearchParams): 'paid' | 'failed' | null {
  if (query.get('success') !== 'true') return null;
  // The payment provider adds it (https://docs.stripe.com/payments/payment-intents/verifying-status).
  return query.get('redirect_status') === 'failed' ? 'failed' : 'paid';
}
