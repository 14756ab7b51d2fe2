import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { Schemas } from '@/api/client';
import { settingsQuery } from '@/api/settings';
import { Notice } from '@/components/ui/notice';
import { BillingToggle } from '@/features/plans/subscription/components/billing-toggle';
import { PlanCard } from '@/features/plans/subscription/components/plan-card';
import { subscriptionQueries } from '@/features/plans/subscription/queries';
import { PLANS, type BillingInterval } from '@/features/plans/subscription/plans';

/** The note that says why nothing can be bought. */
const REASON_ID = 'no-payments';

type PlanCardsProps = {
  /** The plan of the signed-in person; null for a visitor. */
  planType?: Schemas['PlanType'] | null;
};

export function PlanCards({ planType = null }: PlanCardsProps) {
  const settings = useQuery(settingsQuery());
  const status = useQuery({
    ...subscriptionQueries.status(),
    enabled: planType !== null && planType !== 'basic',
  });
  const cannotPay = settings.data?.payments === false;
  const [interval, setInterval] = useInterval();
  // Only a subscription of one's own can be billed otherwise.
  const billed = status.data?.canManage === true ? status.data.interval : null;
  // Beside a greater plan of their company, somebody can change the one that they pay for.
  const current = status.data?.paidPlan?.toLowerCase() ?? planType;
  return (
    <div className="grid gap-6">
      <BillingToggle interval={interval} onChange={setInterval} />
      {cannotPay && (
        <Notice id={REASON_ID} tone="info" title="Payments are not set up on this server">
          Whoever runs it gives out the plans.
        </Notice>
      )}
      <ul className="grid gap-4 lg:grid-cols-3">
        {PLANS.map((plan) => (
          <li key={plan.name}>
            <PlanCard
              plan={plan}
              interval={interval}
              current={plan.name.toLowerCase() === current}
              otherwiseBilled={billed !== null && billed !== interval}
              reasonId={cannotPay ? REASON_ID : undefined}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The billing in view stands in the address, so that the way back from a checkout leads to it. */
function useInterval(): [BillingInterval, (interval: BillingInterval) => void] {
  const [query, setQuery] = useSearchParams();
  return [
    query.get('interval') === 'year' ? 'year' : 'month',
    (interval) =>
      setQuery(interval === 'year' ? { interval } : {}, {
        replace: true,
        preventScrollReset: true,
      }),
  ];
}
