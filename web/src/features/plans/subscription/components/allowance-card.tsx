import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { allowanceOf, type Allowance } from '@/features/plans/subscription/model';
import { subscriptionQueries } from '@/features/plans/subscription/queries';
import { classNames } from '@/lib/class-names';

/** How many scans are left on Basic. Nothing is shown on a plan that does not count them. */
export function AllowanceCard() {
  const limits = useQuery(subscriptionQueries.limits());
  const status = useQuery(subscriptionQueries.status());
  if (limits.isPending || status.isPending) return <Skeleton className="h-28 rounded-lg" />;
  const allowance = allowanceOf(limits.data, status.data);
  if (allowance.kind === 'unlimited') return null;
  return allowance.kind === 'metered' ? <MeteredCard allowance={allowance} /> : <FallbackCard />;
}

type MeteredCardProps = { allowance: Extract<Allowance, { kind: 'metered' }> };

function MeteredCard({ allowance }: MeteredCardProps) {
  const { used, limit, remaining, almostUsedUp } = allowance;
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <Card aria-label="Scan allowance" className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-4">
        <p className="flex items-baseline gap-1.5">
          <span
            className={classNames(
              'text-2xl font-semibold tabular-nums',
              almostUsedUp && 'text-warn',
            )}
          >
            {remaining}
          </span>{' '}
          <span className="text-sm text-soft">{remaining === 1 ? 'scan left' : 'scans left'}</span>
        </p>
        <Button asChild look={almostUsedUp ? 'primary' : 'secondary'} size="small">
          <Link reloadDocument to={paths.subscribe}>
            Upgrade to Pro
          </Link>
        </Button>
      </div>
      <div
        role="progressbar"
        aria-label="Scans used"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={used}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={classNames(
            'h-full rounded-full transition-[width] duration-500',
            almostUsedUp ? 'bg-warn' : 'bg-accent',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <div className="flex flex-wrap justify-between gap-x-4 text-sm">
        <p className="text-muted">
          Scans used {used}/{limit}
        </p>
        {almostUsedUp && <p className="font-medium text-warn">Almost at your limit!</p>}
      </div>
    </Card>
  );
}

function FallbackCard() {
  return (
    <Card aria-label="Scan allowance" className="flex flex-wrap items-center justify-between gap-4">
      <p className="text-sm text-soft">Basic Plan - 2 lifetime scans</p>
      <Button asChild size="small">
        <Link to={paths.pricing}>Upgrade</Link>
      </Button>
    </Card>
  );
}
