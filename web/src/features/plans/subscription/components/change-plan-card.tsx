import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { planTitle, type Choice } from '@/features/plans/subscription/checkout';
import { BILLING, paidCents } from '@/features/plans/subscription/plans';
import { formatMoney } from '@/lib/format';

type ChangePlanCardProps = {
  choice: Choice;
  status: Schemas['SubscriptionStatus'];
  onConfirm: () => void;
};

/** Asks before a subscription that runs is changed: the address of a page must not spend money. */
export function ChangePlanCard({ choice, status, onConfirm }: ChangePlanCardProps) {
  const title = planTitle(choice);
  const { paidPlan } = status;
  if (paidPlan === title && status.interval === choice.interval) {
    return (
      <Notice
        tone="info"
        title={`You have the ${title} plan already`}
        action={
          <Button asChild size="small">
            <Link to={paths.manageSubscription}>Manage Subscription</Link>
          </Button>
        }
      />
    );
  }
  const price = `${formatMoney(Number(choice.price))} per ${choice.interval}`;
  const billing = `${BILLING[choice.interval]} Billing`;
  const samePlan = paidPlan === title;
  return (
    <SettingsCard
      title={samePlan ? `Change ${title} to ${billing}` : `Change to Partsight ${title}`}
      description={
        samePlan
          ? `${price}, in place of what you pay now.`
          : `${price}, in place of your ${paidPlan ?? 'present'} plan.`
      }
    >
      <p className="text-sm text-soft">{chargeText(choice, status)}</p>
      {paidPlan === 'Business' && choice.plan !== 'business' && (
        <Notice tone="warn" title="Your team loses Business">
          Everybody in your company goes back to their own plan, and nobody can be added. API keys
          stop working, and price lists can no longer be uploaded.
        </Notice>
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onConfirm}>
          Change to {samePlan ? billing : title}
        </Button>
        <Button asChild look="ghost">
          <Link to={paths.manageSubscription}>
            {samePlan ? 'Keep It as It Is' : `Keep ${paidPlan ?? 'It'}`}
          </Link>
        </Button>
      </div>
    </SettingsCard>
  );
}

/** What a change costs at once: what is left of the period is always set off against the new price. */
function chargeText(choice: Choice, status: Schemas['SubscriptionStatus']): string {
  const present = paidCents(status);
  const cheaper = present !== null && Math.round(Number(choice.price) * 100) < present;
  if (!cheaper) {
    return 'What is left of the period that you paid for is set off against the new price. The difference is charged at once, to the card of your subscription.';
  }
  return status.interval === choice.interval
    ? 'Nothing is charged now. What is left of the period that you paid for is credited, and pays for your next bills.'
    : 'What is left of the period that you paid for is set off against the new price. Only if that is not enough, the rest is charged at once; what is over pays for your next bills.';
}
