import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { MailLink } from '@/components/mail-link';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { LoadingBlock } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import {
  awaitedPlan,
  hasCome,
  isPaymentSent,
  isRenewalPaid,
  keepPaymentSent,
} from '@/features/plans/subscription/awaited-plan';
import { CancellationCard } from '@/features/plans/subscription/components/cancellation-card';
import { CurrentPlanCard } from '@/features/plans/subscription/components/current-plan-card';
import { isUnpaid } from '@/features/plans/subscription/model';
import { BILLING, payHref } from '@/features/plans/subscription/plans';
import { subscriptionQueries } from '@/features/plans/subscription/queries';

/** How often the plan is asked for while the payment provider still has to confirm it. */
const CONFIRMATION_POLL_MS = 2000;
/** Answers after which it is asked no more: those of about two minutes. */
const CONFIRMATION_POLLS = 60;

type ManageSubscriptionProps = {
  /** Whether the person comes from a payment just now. */
  justPaid: boolean;
};

export function ManageSubscription({ justPaid }: ManageSubscriptionProps) {
  const [awaited] = useState(awaitedPlan);
  const [isRenewal] = useState(isRenewalPaid);
  // A reload while the payment is on its way goes on waiting.
  const [hasPaid] = useState(() => justPaid || isPaymentSent());
  const status = useQuery({
    ...subscriptionQueries.status(),
    // The plan changes when the provider says so, which may be a moment after the card was charged.
    refetchInterval: (query) =>
      hasPaid &&
      query.state.dataUpdateCount < CONFIRMATION_POLLS &&
      query.state.data != null &&
      !hasCome(query.state.data, awaited) &&
      CONFIRMATION_POLL_MS,
  });
  const isAwaited = hasPaid && status.data != null && !hasCome(status.data, awaited);
  const isLoaded = status.data != null;
  useEffect(() => {
    if (hasPaid && isLoaded) keepPaymentSent(isAwaited && awaited !== null);
  }, [hasPaid, isLoaded, isAwaited, awaited]);
  return (
    <>
      {hasPaid && status.data != null && (
        <div role="status">
          <News status={status.data} isAwaited={isAwaited} isRenewal={isRenewal} />
        </div>
      )}
      {status.isPending && <LoadingBlock label="Loading your subscription" rowClassName="h-32" />}
      {status.isLoadingError && (
        <Notice tone="bad" title="Error" onRetry={() => void status.refetch()}>
          Unable to load subscription information. Please try again later.
        </Notice>
      )}
      {status.data != null && (
        <>
          <CurrentPlanCard status={status.data} isPaymentAwaited={isAwaited} />
          {status.data.plan === 'Free' ? (
            <UpgradeCard status={status.data} isPaymentAwaited={isAwaited} />
          ) : (
            <PaidCards status={status.data} />
          )}
          {/* One that is unpaid or paused gives no plan, and could still cost something. */}
          {status.data.plan === 'Free' && status.data.canCancel && (
            <CancellationCard status={status.data} />
          )}
        </>
      )}
    </>
  );
}

type NewsProps = {
  status: Schemas['SubscriptionStatus'];
  /** Whether the payment still has to be confirmed. */
  isAwaited: boolean;
  /** Whether the plan was in force before. */
  isRenewal: boolean;
};

/** What became of the payment: an address alone proves none. */
function News({ status, isAwaited, isRenewal }: NewsProps) {
  return isAwaited ? (
    <Notice tone="info" title="Waiting for your payment to be confirmed">
      Your plan {isRenewal ? 'goes on' : 'changes'} as soon as the payment provider confirms the
      payment. If it still has not after some minutes,{' '}
      <Link to={paths.contact} className="font-medium text-accent underline underline-offset-4">
        contact support
      </Link>
      .
    </Notice>
  ) : (
    <Notice tone="good" title="Payment successful!">
      {isRenewal
        ? `Your payment went through. Your ${status.paidPlan} plan goes on.`
        : `Your subscription has been activated. Welcome to Partsight's ${status.paidPlan} plan!`}
    </Notice>
  );
}

type UpgradeCardProps = {
  status: Schemas['SubscriptionStatus'];
  /** Whether a payment is on its way: nobody is to pay twice. */
  isPaymentAwaited: boolean;
};

function UpgradeCard({ status, isPaymentAwaited }: UpgradeCardProps) {
  const { ordered } = status;
  const href = ordered === null ? null : payHref(ordered);
  return (
    <SettingsCard
      title="Upgrade"
      description="With Pro or Business your scans are not counted, and your whole history is in view."
    >
      {isUnpaid(status) && !isPaymentAwaited && (
        <Notice
          tone="warn"
          title={
            ordered === null
              ? 'Your subscription is not paid'
              : `${ordered.plan}, ${BILLING[ordered.interval].toLowerCase()}, is not paid`
          }
          action={
            href !== null && (
              <Button asChild size="small">
                <Link reloadDocument to={href}>
                  {`Pay for ${ordered?.plan ?? 'It'}`}
                </Link>
              </Button>
            )
          }
        >
          It gives no plan until it is paid. You can also choose another plan: you never have two
          subscriptions.
        </Notice>
      )}
      <Button asChild look="primary" className="justify-self-start">
        <Link to={paths.pricing}>View Pricing Plans</Link>
      </Button>
    </SettingsCard>
  );
}

type PaidCardsProps = { status: Schemas['SubscriptionStatus'] };

function PaidCards({ status }: PaidCardsProps) {
  const settings = useQuery(settingsQuery());
  return (
    <>
      <CancellationCard status={status} />
      <SettingsCard
        title="Need Help?"
        description="Questions about a bill, a refund or another plan: write to us, we typically respond within 24 hours."
      >
        {settings.data !== undefined && (
          <p className="text-sm">
            <MailLink address={settings.data.supportEmail} />
          </p>
        )}
      </SettingsCard>
    </>
  );
}
