import { Check } from 'lucide-react';
import { Link } from 'react-router';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { paths } from '@/config/paths';
import {
  BILLING,
  priceCents,
  subscribeHref,
  yearlySavingCents,
  type BillingInterval,
  type Plan,
} from '@/features/plans/subscription/plans';
import { classNames } from '@/lib/class-names';
import { formatMoney } from '@/lib/format';

type PlanCardProps = {
  plan: Plan;
  interval: BillingInterval;
  /** Whether the person has this very plan. */
  current: boolean;
  /** Whether the person pays for their plan at another interval than the one in view. */
  otherwiseBilled: boolean;
  /** The id of the note that says why the plan cannot be bought, where there is one. */
  reasonId: string | undefined;
};

export function PlanCard(props: PlanCardProps) {
  const { plan, interval, current } = props;
  const free = plan.monthlyCents === 0;
  return (
    <Card
      aria-label={`${plan.name} plan`}
      className={classNames('flex h-full flex-col gap-5', plan.popular && 'border-accent/70')}
    >
      <div className="grid gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="mr-auto text-lg font-semibold tracking-tight">{plan.name}</h2>
          {current && <Badge tone="good">Your plan</Badge>}
          {plan.popular && <Badge tone="primary">Most popular</Badge>}
        </div>
        <p className="text-sm text-muted">{plan.summary}</p>
      </div>
      <div>
        <p className="flex flex-wrap items-baseline gap-x-1.5">
          <span className="text-3xl font-semibold tracking-tight tabular-nums">
            {free ? '$0' : formatMoney(priceCents(plan.monthlyCents, interval) / 100)}
          </span>{' '}
          <span className="text-sm text-muted">{free ? 'for good' : `per ${interval}`}</span>
        </p>
        {!free && interval === 'year' && (
          <p className="mt-1 text-sm text-good">
            Save {formatMoney(yearlySavingCents(plan.monthlyCents) / 100)} a year
          </p>
        )}
      </div>
      <ul className="grid flex-1 content-start gap-2 text-sm text-soft">
        {plan.features.map((feature) => (
          <li key={feature} className="flex gap-2">
            <Check className="mt-0.5 size-4 shrink-0 text-accent" aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
      <Choice {...props} />
    </Card>
  );
}

function Choice({ plan, interval, current, otherwiseBilled, reasonId }: PlanCardProps) {
  if (plan.monthlyCents === 0) {
    return (
      <Button asChild>
        <Link to={paths.home}>Start scanning</Link>
      </Button>
    );
  }
  if (current && !otherwiseBilled) {
    return (
      <Button asChild>
        <Link to={paths.manageSubscription}>Manage Subscription</Link>
      </Button>
    );
  }
  return (
    <Button asChild look={plan.popular ? 'primary' : 'secondary'}>
      <Link reloadDocument to={subscribeHref(plan, interval)} aria-describedby={reasonId}>
        {current ? `Change to ${BILLING[interval]} Billing` : `Choose ${plan.name}`}
      </Link>
    </Button>
  );
}
