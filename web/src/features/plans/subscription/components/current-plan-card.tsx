import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { Fact } from '@/components/fact';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { periodEndText } from '@/features/plans/subscription/model';
import { payHref } from '@/features/plans/subscription/plans';

type CurrentPlanCardProps = { status: Schemas['SubscriptionStatus'] };

export function CurrentPlanCard({ status }: CurrentPlanCardProps) {
  const free = status.plan === 'Free';
  return (
    <SettingsCard
      title="Current Plan"
      action={<Badge tone={free ? 'outline' : 'primary'}>{status.plan}</Badge>}
    >
      <dl className="grid gap-px overflow-hidden rounded-md border bg-line sm:grid-cols-2">
        <Fact term="Monthly Scans">
          {free ? `${status.scansRemaining ?? 0} remaining` : 'Unlimited'}
        </Fact>
        <Fact term="Next Billing Date">{periodEndText(status.currentPeriodEnd)}</Fact>
      </dl>
      {status.status === 'past_due' && <PaymentDue status={status} />}
    </SettingsCard>
  );
}

/** The renewal that did not go through, and the way to pay for it. */
function PaymentDue({ status }: CurrentPlanCardProps) {
  const href = payHref(status);
  return (
    <Notice
      tone="warn"
      title="The last payment did not go through"
      action={
        href !== null && (
          <Button asChild size="small">
            <Link reloadDocument to={href}>
              Pay Now
            </Link>
          </Button>
        )
      }
    >
      Your plan ends if the next attempt fails as well.
    </Notice>
  );
}
