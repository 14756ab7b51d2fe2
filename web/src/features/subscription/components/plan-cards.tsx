import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { settingsQuery } from '@/api/settings';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { paths } from '@/config/paths';
import {
  PLANS,
  priceCents,
  subscribeHref,
  yearlySavingCents,
  type BillingInterval,
  type Plan,
} from '@/features/subscription/model';
import { classNames } from '@/lib/class-names';
import { formatMoney } from '@/lib/format';

/** The note that says why nothing can be bought. */
const REASON_ID = 'no-payments';

export function PlanCards() {
  const settings = useQuery(settingsQuery());
  const [interval, setInterval] = useState<BillingInterval>('month');
  return (
    <div className="grid gap-6">
      <BillingToggle interval={interval} onChange={setInterval} />
      {settings.data?.payments === false && (
        <Notice id={REASON_ID} tone="info" title="Payments are not set up on this server">
          Whoever runs it sets the plan for everybody.
        </Notice>
      )}
      <ul className="grid gap-4 lg:grid-cols-3">
        {PLANS.map((plan) => (
          <li key={plan.name}>
            <PlanCard plan={plan} interval={interval} forSale={settings.data?.payments === true} />
          </li>
        ))}
      </ul>
    </div>
  );
}

type BillingToggleProps = {
  interval: BillingInterval;
  onChange: (interval: BillingInterval) => void;
};

function BillingToggle({ interval, onChange }: BillingToggleProps) {
  const choices = [
    ['month', 'Monthly'],
    ['year', 'Annual'],
  ] as const;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div
        role="group"
        aria-label="Billing"
        className="flex gap-1 rounded-md border bg-surface p-1"
      >
        {choices.map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={interval === value}
            onClick={() => {
              onChange(value);
            }}
            className="min-h-9 rounded-sm px-4 text-sm font-medium text-muted hover:text-ink aria-pressed:bg-accent aria-pressed:text-on-accent"
          >
            {label}
          </button>
        ))}
      </div>
      {interval === 'year' && <Badge tone="good">Save 17%</Badge>}
    </div>
  );
}

type PlanCardProps = {
  plan: Plan;
  interval: BillingInterval;
  /** False also while that is not known. */
  forSale: boolean;
};

function PlanCard({ plan, interval, forSale }: PlanCardProps) {
  const free = plan.monthlyCents === 0;
  return (
    <Card
      aria-label={`${plan.name} plan`}
      className={classNames('flex h-full flex-col gap-5', plan.popular && 'border-accent/70')}
    >
      <div className="grid gap-1">
        <div className="flex items-center justify-between gap-2">
          <h2 className="text-lg font-semibold tracking-tight">{plan.name}</h2>
          {plan.popular && <Badge tone="primary">Most popular</Badge>}
        </div>
        <p className="text-sm text-muted">{plan.summary}</p>
      </div>
      <div>
        <p className="flex items-baseline gap-1.5">
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
      {free && (
        <Button asChild>
          <Link to={paths.home}>Start scanning</Link>
        </Button>
      )}
      {!free && forSale && (
        <Button asChild look={plan.popular ? 'primary' : 'secondary'}>
          <Link to={subscribeHref(plan, interval)}>Choose {plan.name}</Link>
        </Button>
      )}
      {!free && !forSale && (
        <Button disabled aria-describedby={REASON_ID}>
          Choose {plan.name}
        </Button>
      )}
    </Card>
  );
}
