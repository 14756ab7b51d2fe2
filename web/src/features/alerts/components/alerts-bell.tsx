import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { lazy, Suspense, useState, type ComponentProps } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { badgeText } from '@/features/alerts/model';
import { alertQueries } from '@/features/alerts/queries';
import { useDismissedAlerts } from '@/features/alerts/use-dismissed-alerts';
import { today } from '@/lib/dates';

const loadPopover = () => import('@/features/alerts/components/alerts-popover');
// The popover brings a positioning library; it is loaded for those who reach for the bell.
const AlertsPopover = lazy(async () => ({ default: (await loadPopover()).AlertsPopover }));

/** The bell of the top bar, for those who are signed in. */
export function AlertsBell() {
  const alerts = useQuery(alertQueries.list(today()));
  const dismissed = useDismissedAlerts();
  const shown = alerts.data?.filter(({ id }) => !dismissed.has(id)) ?? [];
  const [asked, setAsked] = useState(false);
  const waiting = (
    <BellButton
      count={shown.length}
      aria-haspopup="dialog"
      aria-expanded={false}
      onPointerEnter={() => void loadPopover().catch(() => undefined)}
      onFocus={() => void loadPopover().catch(() => undefined)}
      onClick={() => {
        setAsked(true);
      }}
    />
  );
  if (!asked) return waiting;
  return (
    <ErrorBoundary what="Maintenance alerts" fallback={waiting}>
      <Suspense fallback={waiting}>
        <AlertsPopover
          bell={<BellButton count={shown.length} />}
          alerts={shown}
          state={alerts.isPending ? 'loading' : alerts.isLoadingError ? 'failed' : 'ready'}
          onRetry={() => void alerts.refetch()}
          onDismiss={dismissed.add}
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
      className="relative grid size-10 place-items-center rounded-full text-soft hover:bg-hover hover:text-ink"
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
