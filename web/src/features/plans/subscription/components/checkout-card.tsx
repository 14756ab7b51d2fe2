import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Notice } from '@/components/ui/notice';
import { Spinner } from '@/components/ui/spinner';
import { planTitle, type Choice } from '@/features/plans/subscription/checkout';
import { ChangePlanCard } from '@/features/plans/subscription/components/change-plan-card';
import { CardForm } from '@/features/plans/subscription/components/card-form';
import { useCheckout } from '@/features/plans/subscription/use-checkout';
import { formatMoney } from '@/lib/format';

type CheckoutCardProps = {
  choice: Choice;
  status: Schemas['SubscriptionStatus'];
  publishableKey: string;
};

export function CheckoutCard({ choice, status, publishableKey }: CheckoutCardProps) {
  const { checkout, confirm, pay, formFailed } = useCheckout(choice, status.canManage);
  switch (checkout.step) {
    case 'confirm':
      return <ChangePlanCard choice={choice} status={status} onConfirm={confirm} />;
    case 'creating':
      return <Spinner label="Setting up your subscription..." />;
    case 'failed':
      return (
        <Notice tone="bad" title={checkout.failure.title}>
          <p>{checkout.failure.reason}</p>
          <p>The plans follow in a moment.</p>
        </Notice>
      );
    case 'paid':
      return (
        <Notice tone="good" title="Payment Successful">
          Your subscription is opened in a moment.
        </Notice>
      );
    case 'card':
      return (
        <SettingsCard
          title={`Subscribe to Partsight ${planTitle(choice)}`}
          description={`${formatMoney(Number(choice.price))} per ${choice.interval}. You can cancel at any time.`}
        >
          <CardForm
            publishableKey={publishableKey}
            clientSecret={checkout.clientSecret}
            paying={checkout.paying}
            label={`Pay ${formatMoney(Number(choice.price))}`}
            onPay={pay}
            onFailure={formFailed}
          />
        </SettingsCard>
      );
  }
}
