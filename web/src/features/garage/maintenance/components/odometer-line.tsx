import { Gauge } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { formatDay } from '@/lib/dates';
import { formatMiles } from '@/lib/format';

type OdometerLineProps = {
  plan: Schemas['MaintenancePlan'];
  /** What is odd about the mileage that was told last. */
  warnings: Schemas['Warning'][];
  onDismiss: () => void;
  onUpdate: () => void;
};

/** Where the odometer stands and how fast it moves, and the way to tell it anew. */
export function OdometerLine({ plan, warnings, onDismiss, onUpdate }: OdometerLineProps) {
  const { odometer } = plan;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md bg-raised px-3 py-2.5">
        <Gauge className="size-5 shrink-0 text-accent" aria-hidden />
        <p className="min-w-0 flex-1 basis-44 text-sm text-soft">
          {odometer === null ? (
            'No mileage is known yet. With two readings, days by mileage can be projected.'
          ) : (
            <>
              <span className="font-medium text-ink">{formatMiles(odometer.mileage)}</span> on{' '}
              {formatDay(odometer.on)}
              {odometer.milesPerDay !== null &&
                Math.round(odometer.milesPerDay) > 0 &&
                `, about ${formatMiles(Math.round(odometer.milesPerDay))} a day`}
            </>
          )}
        </p>
        <Button size="small" onClick={onUpdate}>
          Update Mileage
        </Button>
      </div>
      <SavedWarnings warnings={warnings} onDismiss={onDismiss} />
    </div>
  );
}
