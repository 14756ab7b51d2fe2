import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { nextChangeOf } from '@/features/garage/oil-changes/model';
import { today } from '@/lib/dates';
import { vehicleNames } from '@/components/vehicle-names';

/** The item of the schedule; a car without an engine has none. */
const ENGINE_OIL = 'engine-oil';
/** Behind every day that is due. */
const LAST_DAY = '9999-12-31';

type NextOilChangesProps = { vehicles: Schemas['Vehicle'][] };

/** When the oil of each vehicle is due; a vehicle without an oil change, or with its reminder off, is left out. */
export function NextOilChanges({ vehicles }: NextOilChangesProps) {
  const plans = useQuery(maintenanceQueries.plans()).data ?? [];
  const names = vehicleNames(vehicles);
  const due = vehicles
    .flatMap((vehicle) => {
      const plan = plans.find(({ vehicleId }) => vehicleId === vehicle.id);
      const item = plan?.items.find(({ item: id }) => id === ENGINE_OIL);
      const next =
        item === undefined ? null : nextChangeOf(item, today(), plan?.odometer?.mileage ?? null);
      return item === undefined || next === null ? [] : [{ vehicle, next, dueDate: item.dueDate }];
    })
    // The most urgent first, also by its mileage; what is due by mileage alone may have no day to compare.
    .toSorted(
      (one, other) =>
        Number(other.next.isPast) - Number(one.next.isPast) ||
        (one.dueDate ?? LAST_DAY).localeCompare(other.dueDate ?? LAST_DAY),
    );
  if (due.length === 0) return null;
  return (
    <section aria-labelledby="next-oil-title" className="grid gap-2">
      <h3 id="next-oil-title" className="text-sm font-medium text-soft">
        Next Oil Change Recommendations
      </h3>
      <ul className="grid gap-2">
        {due.map(({ vehicle, next }) => (
          <li
            key={vehicle.id}
            className="flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md bg-raised px-3 py-2.5"
          >
            <p className="min-w-0 flex-1 basis-[9rem] font-medium wrap-anywhere">
              {names.get(vehicle.id)}
            </p>
            <Badge tone={next.tone === 'neutral' ? 'outline' : next.tone}>{next.badge}</Badge>
            <p className="flex basis-full flex-wrap gap-x-3 text-sm text-muted">
              {next.distance !== null && <span>{next.distance}</span>}
              {next.last !== null && <span>{next.last}</span>}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
