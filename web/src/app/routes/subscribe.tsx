import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { SubpageHeader } from '@/app/routes/profile/subpage-header';
import { EmptyShelf } from '@/components/empty-shelf';
import { LoadFailure } from '@/components/load-failure';
import { SignInRequired } from '@/components/sign-in-required';
import { TextLink } from '@/components/text-link';
import { Notice } from '@/components/ui/notice';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';
import { useOwnDocument } from '@/hooks/use-own-document';
import { choiceOf, isForSale, planTitle } from '@/features/plans/subscription/checkout';
import { CheckoutCard } from '@/features/plans/subscription/components/checkout-card';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

export function SubscribeRoute() {
  const [query] = useSearchParams();
  // Nobody is to pay for another plan than the one they named.
  return isForSale(query.get('plan')) ? <Subscribe query={query} /> : <NoSuchPlan />;
}

function NoSuchPlan() {
  return (
    <div className="page grid max-w-xl gap-5">
      <title>Partsight - Subscribe</title>
      <SubpageHeader title="Subscribe" />
      <Notice tone="bad" title="Plan Unavailable">
        Pro and Business can be bought, and no other plan.{' '}
        <TextLink to={paths.pricing}>Choose one of them</TextLink>.
      </Notice>
    </div>
  );
}

function Subscribe({ query }: { query: URLSearchParams }) {
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
      <SubpageHeader title="Subscribe" />
      {loading && <Spinner label="Loading..." />}
      {user.isLoadingError && <LoadFailure what="Your account" query={user} />}
      {settings.isLoadingError && <LoadFailure what="The checkout" query={settings} />}
      {status.isLoadingError && <LoadFailure what="Your subscription" query={status} />}
      {user.data === null && (
        <SignInRequired picture={<EmptyShelf />}>
          {`You need to sign in to subscribe to Partsight's ${planTitle(choice)} plan.`}
        </SignInRequired>
      )}
      {ownDocument && user.data != null && settings.data !== undefined && current != null && (
        <CheckoutCard
          // Another choice is another checkout, with an order of its own.
          key={`${choice.plan} ${choice.interval} ${choice.price}`}
          choice={choice}
          status={current}
          publishableKey={settings.data.stripePublishableKey ?? ''}
        />
      )}
    </div>
  );
}
