import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { itemsOf } from '@/api/page';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { oilChangeQueries } from '@/features/garage/oil-changes/queries';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { RunningCostsCard } from '@/features/garage/running-costs/components/running-costs-card';
import type { Day } from '@/lib/dates';
import { vehicleName } from '@/lib/format';

type RunningCostsProps = { vehicle: Schemas['Vehicle'] };

/** The costs and mileage of the default vehicle, from what the lists of this screen have loaded. */
export function RunningCosts({ vehicle }: RunningCostsProps) {
  const oil = useInfiniteQuery(oilChangeQueries.list(null));
  const repairs = useInfiniteQuery(repairQueries.list());
  const noted = useQuery(maintenanceQueries.readings(vehicle.id));
  // Each list says by itself that it waits, or what went wrong.
  if (oil.data === undefined || repairs.data === undefined) return null;
  const oilChanges = itemsOf(oil.data.pages);
  const allRepairs = itemsOf(repairs.data.pages);
  return (
    <RunningCostsCard
      name={vehicleName(vehicle)}
      entries={[
        ...oilChanges.map(({ changeDate, cost, mileage }) => ({
          kind: 'oil-change' as const,
          day: changeDate,
          cost: cost ?? null,
          mileage,
        })),
        ...allRepairs
          .filter(({ vehicleId }) => vehicleId === vehicle.id)
          .map(({ repairDate, cost, mileage }) => ({
            kind: 'repair' as const,
            day: repairDate,
            cost: cost ?? null,
            mileage,
          })),
      ]}
      readings={(noted.data ?? []).map(({ date, mileage }) => ({ day: date, mileage }))}
      completeFrom={newest([
        oil.hasNextPage ? oilChanges.at(-1)?.changeDate : undefined,
        repairs.hasNextPage ? allRepairs.at(-1)?.repairDate : undefined,
      ])}
    />
  );
}

function newest(days: (Day | undefined)[]): Day | null {
  return (
    days
      .flatMap((day) => day ?? [])
      .toSorted()
      .at(-1) ?? null
  );
}
