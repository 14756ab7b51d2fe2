import { Badge } from '@/components/ui/badge';
import { BILLING, type BillingInterval } from '@/features/plans/subscription/plans';

type BillingToggleProps = {
  interval: BillingInterval;
  onChange: (interval: BillingInterval) => void;
};

export function BillingToggle({ interval, onChange }: BillingToggleProps) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <div
        role="group"
        aria-label="Billing"
        className="flex flex-wrap gap-1 rounded-md border bg-surface p-1"
      >
        {(['month', 'year'] as const).map((value) => (
          <button
            key={value}
            type="button"
            aria-pressed={interval === value}
            onClick={() => onChange(value)}
            className="small-button rounded-sm px-4 text-sm font-medium text-muted hover:text-ink aria-pressed:bg-accent aria-pressed:text-on-accent"
          >
            {BILLING[value]}
          </button>
        ))}
      </div>
      {interval === 'year' && <Badge tone="good">Save 17%</Badge>}
    </div>
  );
}
