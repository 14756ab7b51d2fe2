import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link, useSearchParams } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { EmptyShelf } from '@/components/empty-shelf';
import { LoadFailure } from '@/components/load-failure';
import { SignInRequired } from '@/components/sign-in-required';
import { Button } from '@/components/ui/button';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';
import { useOwnDocument } from '@/hooks/use-own-document';
import { choiceOf, planTitle } from '@/features/plans/subscription/checkout';
import { CheckoutCard } from '@/features/plans/subscription/components/checkout-card';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

export function SubscribeRoute() {
  const [query] = useSearchParams();
  const choice = choiceOf(query);
  // The card fields need a page that allows them.
  const ownDocument = useOwnDocument(paths.subscribe);
  const user = useQuery(authQueries.user());
  const settings = useQuery(settingsQuery());
  const status = useQuery({ ...subscriptionQueries.status(), enabled: user.data != null });
  // What was read earlier may be of before a payment: whether money is asked for hangs on it.
  const current = status.isFetchedAfterMount ? status.data : undefined;
  const loading =
    !ownDocument ||
    user.isPending ||
    (user.data != null &&
      (settings.isPending || (current === undefined && !status.isLoadingError)));
  return (
    <div className="page grid max-w-xl gap-5">
      <title>Partsight - Subscribe</title>
      <header className="grid justify-items-start gap-3">
        <Button asChild look="ghost" size="small" className="-ml-3">
          <Link to={paths.profile}>
            <ArrowLeft className="size-4" aria-hidden />
            Back to Profile
          </Link>
        </Button>
        <h1 className="page-title">Subscribe</h1>
      </header>
      {loading && <Spinner label="Loading..." />}
      {user.isLoadingError && (
        <LoadFailure what="Your account" error={user.error} onRetry={() => void user.refetch()} />
      )}
      {settings.isLoadingError && (
        <LoadFailure
          what="The checkout"
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      )}
      {status.isLoadingError && (
        <LoadFailure
          what="Your subscription"
          error={status.error}
          onRetry={() => void status.refetch()}
        />
      )}
      {user.data === null && (
        <SignInRequired picture={<EmptyShelf />}>
          {`You need to sign in to subscribe to Partsight's ${planTitle(choice)} plan.`}
        </SignInRequired>
      )}
      {ownDocument && user.data != null && settings.data !== undefined && current != null && (
        <CheckoutCard
          key={`${choice.plan} ${choice.interval} ${choice.price}`}
          choice={choice}
          status={current}
          publishableKey={settings.data.stripePublishableKey ?? ''}
        />
      )}
    </div>
  );
}
