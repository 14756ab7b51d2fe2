import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { Suspense, useState, type ComponentProps } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { badgeText } from '@/features/garage/alerts/model';
import { alertQueries } from '@/features/garage/alerts/queries';
import { useDismissedAlerts } from '@/features/garage/alerts/use-dismissed-alerts';

const loadPopover = () => import('@/features/garage/alerts/components/alerts-popover');
// The popover brings a positioning library; it is loaded for those who reach for the bell.
const AlertsPopover = lazyComponent(async () => (await loadPopover()).AlertsPopover);

/** The bell of the top bar, for those who are signed in. */
export function AlertsBell() {
  const alerts = useQuery(alertQueries.list());
  const dismissed = useDismissedAlerts();
  const shown = alerts.data?.filter(({ id }) => !dismissed.has(id)) ?? [];
  // Counted: what did not come at the first time is asked for at the next.
  const [timesAsked, setTimesAsked] = useState(0);
  const waiting = (
    <BellButton
      count={shown.length}
      aria-haspopup="dialog"
      aria-expanded={false}
      onPointerEnter={() => void loadPopover().catch(() => undefined)}
      onFocus={() => void loadPopover().catch(() => undefined)}
      onClick={() => setTimesAsked(timesAsked + 1)}
    />
  );
  if (timesAsked === 0) return waiting;
  return (
    <ErrorBoundary what="Maintenance alerts" attempt={timesAsked} fallback={waiting}>
      <Suspense fallback={waiting}>
        <AlertsPopover
          bell={<BellButton count={shown.length} />}
          alerts={shown}
          dismissed={(alerts.data?.length ?? 0) - shown.length}
          state={alerts.isPending ? 'loading' : alerts.isLoadingError ? 'failed' : 'ready'}
          onRetry={() => void alerts.refetch()}
          onDismiss={dismissed.add}
          onShowDismissed={dismissed.clear}
        />
      </Suspense>
    </ErrorBoundary>
  );
}

type BellButtonProps = ComponentProps<'button'> & { count: number };

function BellButton({ count, ...props }: BellButtonProps) {
  return (
    <button
      type="button"
      aria-label={count === 0 ? 'Maintenance alerts' : `Maintenance alerts, ${count}`}
      className="relative grid icon-button place-items-center rounded-full text-soft hover:bg-hover hover:text-ink"
      {...props}
    >
      <Bell className="size-5" aria-hidden />
      {count > 0 && (
        <span
          aria-hidden
          className="absolute -top-0.5 -right-0.5 grid h-4.5 min-w-4.5 place-items-center rounded-full bg-alert px-1 text-[0.6875rem] leading-none font-bold text-canvas tabular-nums"
        >
          {badgeText(count)}
        </span>
      )}
    </button>
  );
}
