import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import { planTitle, type Choice } from '@/features/plans/subscription/checkout';
import { formatMoney } from '@/lib/format';

type ChangePlanCardProps = {
  choice: Choice;
  status: Schemas['SubscriptionStatus'];
  onConfirm: () => void;
};

/** Asks before a subscription that runs is changed: the address of a page must not spend money. */
export function ChangePlanCard({ choice, status, onConfirm }: ChangePlanCardProps) {
  const title = planTitle(choice);
  if (status.plan === title && status.interval === choice.interval) {
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
  return (
    <SettingsCard
      title={`Change to Partsight ${title}`}
      description={`${formatMoney(Number(choice.price))} per ${choice.interval}, in place of your ${status.plan} plan.`}
    >
      <p className="text-sm text-soft">
        What is left of the period that you paid for is set off against the new price. The
        difference is charged at once, to the card of your subscription.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onConfirm}>
          Change to {title}
        </Button>
        <Button asChild look="ghost">
          <Link to={paths.manageSubscription}>Keep {status.plan}</Link>
        </Button>
      </div>
    </SettingsCard>
  );
}
