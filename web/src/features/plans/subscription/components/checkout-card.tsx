import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { Spinner } from '@/components/ui/spinner';
import { paths } from '@/config/paths';
import { planTitle, type Choice } from '@/features/plans/subscription/checkout';
import { ChangePlanCard } from '@/features/plans/subscription/components/change-plan-card';
import { CardForm } from '@/features/plans/subscription/components/card-form';
import { UnpaidNotice } from '@/features/plans/subscription/components/unpaid-notice';
import { useCheckout } from '@/features/plans/subscription/use-checkout';
import { formatMoney } from '@/lib/format';

type CheckoutCardProps = {
  choice: Choice;
  status: Schemas['SubscriptionStatus'];
  publishableKey: string;
};

export function CheckoutCard({ choice, status, publishableKey }: CheckoutCardProps) {
  const due = isDue(choice, status);
  const changes = status.canManage && !due;
  const { checkout, confirm, pay, formFailed } = useCheckout(choice, changes, due);
  // The server changes no subscription whose last payment is open.
  if (status.status === 'past_due' && !due) {
    return (
      <UnpaidNotice status={status} action={`Pay for ${status.paidPlan ?? 'It'}`}>
        Pay for your present plan first. After that it can be changed.
      </UnpaidNotice>
    );
  }
  // Nor one that is about to end.
  if (changes && status.cancelAtPeriodEnd) {
    return (
      <Notice
        tone="warn"
        title="Your plan is set to end"
        action={
          <Button asChild size="small">
            <Link to={paths.manageSubscription}>Manage Subscription</Link>
          </Button>
        }
      >
        Reactivate it first. After that it can be changed.
      </Notice>
    );
  }
  switch (checkout.step) {
    case 'confirm':
      return <ChangePlanCard choice={choice} status={status} onConfirm={confirm} />;
    case 'creating':
      return <Spinner label="Setting up your subscription..." />;
    case 'failed': {
      const { title, reason, hasPlan } = checkout.failure;
      return (
        <Notice tone={hasPlan === true ? 'good' : 'bad'} title={title}>
          <p>{reason}</p>
          <p>
            {hasPlan === true
              ? 'Your subscription is opened in a moment.'
              : 'The plans follow in a moment.'}
          </p>
        </Notice>
      );
    }
    case 'paid':
      return (
        <Notice tone="good" title="Payment Successful">
          Your subscription is opened in a moment.
        </Notice>
      );
    case 'card': {
      const price = formatMoney(Number(choice.price));
      return (
        <SettingsCard
          title={
            due
              ? `Pay for Partsight ${planTitle(choice)}`
              : `Subscribe to Partsight ${planTitle(choice)}`
          }
          description={`${price} per ${choice.interval}. You can cancel at any time.`}
        >
          {changes && (
            <p className="text-sm text-soft">
              What is left of the period that you paid for is set off against this price. Only the
              difference is charged now.
            </p>
          )}
          <CardForm
            publishableKey={publishableKey}
            clientSecret={checkout.clientSecret}
            paying={checkout.paying}
            label={changes ? 'Pay the Difference' : `Pay ${price}`}
            onPay={pay}
            onFailure={formFailed}
          />
        </SettingsCard>
      );
    }
  }
}

/** Whether the choice is what somebody has and has not paid: ordering it once more asks for that payment. */
function isDue(choice: Choice, status: Schemas['SubscriptionStatus']): boolean {
  return (
    status.status === 'past_due' &&
    status.paidPlan === planTitle(choice) &&
    status.interval === choice.interval
  );
}
