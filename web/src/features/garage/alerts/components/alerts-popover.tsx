import { X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useRef, useState, type ReactElement } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { dotOf } from '@/features/garage/alerts/model';
import { maintenanceHref } from '@/config/paths';
import { classNames } from '@/lib/class-names';
import { countOf } from '@/lib/format';

type AlertsPopoverProps = {
  bell: ReactElement;
  alerts: Schemas['Alert'][];
  /** How many others were dismissed in this session. */
  dismissed: number;
  state: 'loading' | 'failed' | 'ready';
  onRetry: () => void;
  onDismiss: (ids: string[]) => void;
  onShowDismissed: () => void;
};

/**
 * What the bell opens: each alert with its way to the work, and what dismisses it. It comes open: its code
 * is loaded for somebody who asked for it.
 */
export function AlertsPopover({
  bell,
  alerts,
  dismissed,
  state,
  onRetry,
  onDismiss,
  onShowDismissed,
}: AlertsPopoverProps) {
  const [open, setOpen] = useState(true);
  const heading = useRef<HTMLHeadingElement>(null);
  const dismiss = (ids: string[]) => {
    // What had the focus is about to go.
    heading.current?.focus();
    onDismiss(ids);
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>{bell}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={8}
          collisionPadding={12}
          aria-labelledby="alerts-title"
          className="z-50 flex max-h-[min(32rem,var(--radix-popover-content-available-height))] w-[min(23rem,calc(100vw-1.5rem))] animate-fade flex-col rounded-lg border bg-raised shadow-float"
        >
          {/* No header element: outside of everything else that would be a second banner. */}
          <div className="flex min-h-13 flex-wrap items-center justify-between gap-x-3 border-b px-4 py-2">
            <h2 id="alerts-title" ref={heading} tabIndex={-1} className="section-title">
              Maintenance Alerts
            </h2>
            {alerts.length > 0 && (
              <Button look="ghost" size="small" onClick={() => dismiss(alerts.map(({ id }) => id))}>
                Clear All
              </Button>
            )}
          </div>
          <Body
            alerts={alerts}
            anyDismissed={dismissed > 0}
            state={state}
            onRetry={onRetry}
            onDismiss={(id) => dismiss([id])}
            onFollow={() => setOpen(false)}
          />
          {state === 'ready' && dismissed > 0 && (
            <div className="flex items-center justify-between gap-3 border-t px-4 py-2 text-sm text-muted">
              <p>{`${countOf(dismissed, 'alert')} dismissed until the browser is closed.`}</p>
              <Button
                look="ghost"
                size="small"
                onClick={() => {
                  heading.current?.focus();
                  onShowDismissed();
                }}
              >
                Show Again
              </Button>
            </div>
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** What is snoozed or turned off gives no alert, and may be due all the same. */
const NOTHING = 'No reminder is due within 30 days. Snoozed ones stay quiet until their day.';

type BodyProps = Pick<AlertsPopoverProps, 'alerts' | 'state' | 'onRetry'> & {
  anyDismissed: boolean;
  onDismiss: (id: string) => void;
  onFollow: () => void;
};

function Body({ alerts, anyDismissed, state, onRetry, onDismiss, onFollow }: BodyProps) {
  if (state === 'failed') {
    return (
      <div className="grid justify-items-start gap-3 p-4 text-sm text-soft">
        <p>The alerts could not be loaded.</p>
        <Button size="small" onClick={onRetry}>
          Try Again
        </Button>
      </div>
    );
  }
  if (alerts.length === 0) {
    return (
      <p role="status" className="p-4 text-sm text-muted">
        {state === 'loading' && 'Loading alerts...'}
        {state === 'ready' && (anyDismissed ? 'No other alerts.' : NOTHING)}
      </p>
    );
  }
  return (
    <ul aria-label="Alerts" className="min-h-0 flex-1 divide-y overflow-y-auto overscroll-contain">
      {alerts.map((alert) => {
        const { colour, word } = dotOf(alert);
        return (
          <li key={alert.id} className="relative flex items-start gap-3 py-3 pr-2 pl-4">
            <span
              aria-hidden
              className={classNames('mt-1.5 size-2.5 shrink-0 rounded-full', colour)}
            />
            <div className="min-w-0 flex-1">
              <Link
                to={maintenanceHref(alert.vehicleId)}
                onClick={onFollow}
                className="block rounded-sm font-medium after:absolute after:inset-0 hover:text-accent-strong hover:underline"
              >
                <span className="sr-only">{word}: </span>
                {alert.title}
              </Link>
              <p className="text-sm text-soft wrap-anywhere">{alert.message}</p>
            </div>
            <button
              type="button"
              aria-label={`Dismiss ${alert.title}, ${alert.vehicleName}`}
              onClick={() => onDismiss(alert.id)}
              className="relative grid icon-button shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
            >
              <X className="size-4" aria-hidden />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
