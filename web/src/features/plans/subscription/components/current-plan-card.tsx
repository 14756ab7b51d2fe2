import type { Schemas } from '@/api/client';
import { Fact } from '@/components/fact';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { UnpaidNotice } from '@/features/plans/subscription/components/unpaid-notice';
import { periodEndText } from '@/features/plans/subscription/account-texts';
import { isUnpaid } from '@/features/plans/subscription/model';

type CurrentPlanCardProps = {
  status: Schemas['SubscriptionStatus'];
  /** Whether a payment is on its way: nobody is to pay twice. */
  isPaymentAwaited: boolean;
};

export function CurrentPlanCard({ status, isPaymentAwaited }: CurrentPlanCardProps) {
  const free = status.plan === 'Free';
  // What gives no plan until it is paid has no date on which it is billed next.
  const end = isUnpaid(status) ? null : status.currentPeriodEnd;
  return (
    <SettingsCard
      title="Current Plan"
      action={<Badge tone={free ? 'outline' : 'primary'}>{status.plan}</Badge>}
    >
      <dl className="grid gap-px overflow-hidden rounded-md border bg-line sm:grid-cols-2">
        <Fact term="Monthly Scans">
          {free ? `${status.scansRemaining ?? 0} remaining` : 'Unlimited'}
        </Fact>
        <Fact term={status.cancelAtPeriodEnd ? 'Plan Ends' : 'Next Billing Date'}>
          {periodEndText(end)}
        </Fact>
      </dl>
      {status.paidPlan !== null && status.paidPlan !== status.plan && (
        <p className="text-sm text-soft">
          You pay for {status.paidPlan} yourself. {status.plan} comes from your company or from this
          server, and costs you nothing.
        </p>
      )}
      {status.status === 'past_due' && !isPaymentAwaited && (
        <UnpaidNotice status={status} action="Pay Now">
          Your plan ends if the next attempt fails as well.
        </UnpaidNotice>
      )}
    </SettingsCard>
  );
}
