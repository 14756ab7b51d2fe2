import { ChevronRight } from 'lucide-react';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import type { MaintenanceForm } from '@/features/garage/maintenance/components/maintenance-dialog';
import { MaintenanceRow } from '@/features/garage/maintenance/components/maintenance-row';
import { byUrgency, isDueSometime } from '@/features/garage/maintenance/model';

type MaintenanceItemsProps = {
  plan: Schemas['MaintenancePlan'];
  heading: RefObject<HTMLElement | null>;
  onShow: (form: MaintenanceForm) => void;
};

/** The items that are due sometime, the most urgent first; behind a fold the others. */
export function MaintenanceItems({ plan, heading, onShow }: MaintenanceItemsProps) {
  const items = byUrgency(plan.items);
  const due = items.filter(isDueSometime);
  const rest = items.filter((item) => !isDueSometime(item));
  const rowsOf = (rows: Schemas['MaintenanceItem'][]) =>
    rows.map((item) => (
      <MaintenanceRow
        key={item.item}
        vehicleId={plan.vehicleId}
        item={item}
        odometerMileage={plan.odometer?.mileage ?? null}
        heading={heading}
        onShow={(name) => onShow({ name, item })}
      />
    ));
  return (
    <div className="grid gap-3">
      {due.length === 0 ? (
        <p className="text-sm text-muted">
          Nothing has a due day yet. Log an oil change, or open the list and say of an item when it
          was last done.
        </p>
      ) : (
        <ul aria-label="Due" className="divide-y border-y">
          {rowsOf(due)}
        </ul>
      )}
      {rest.length > 0 && (
        <details className="group">
          <summary className="flex min-h-10 w-fit cursor-pointer list-none items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink [&::-webkit-details-marker]:hidden">
            <ChevronRight className="size-4 group-open:rotate-90" aria-hidden />
            Never logged or off ({rest.length})
          </summary>
          <ul aria-label="Never logged or off" className="mt-2 divide-y border-y">
            {rowsOf(rest)}
          </ul>
        </details>
      )}
    </div>
  );
}
