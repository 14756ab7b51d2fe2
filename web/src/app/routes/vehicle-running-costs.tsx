import { useQuery } from '@tanstack/react-query';
import { QueryState } from '@/components/query-state';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { oilChangeQueries } from '@/features/garage/oil-changes/queries';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { RunningCostsCard } from '@/features/garage/running-costs/components/running-costs-card';
import type { Day } from '@/lib/dates';

type RunningCostsProps = {
  vehicleId: string;
  /** The vehicle's. */
  name: string;
};

/** The costs and mileage of the default vehicle, from all of its records. */
export function RunningCosts({ vehicleId, name }: RunningCostsProps) {
  const oil = useQuery(oilChangeQueries.ofVehicle(vehicleId));
  const repairs = useQuery(repairQueries.ofVehicle(vehicleId));
  const noted = useQuery(maintenanceQueries.readings(vehicleId));
  if (oil.data == null || repairs.data == null) {
    return (
      <QueryState
        query={oil.data === undefined ? oil : repairs}
        what="Costs and mileage"
        label="Loading costs and mileage"
      />
    );
  }
  return (
    <RunningCostsCard
      name={name}
      entries={[
        ...oil.data.items.map(({ changeDate, cost, mileage }) => ({
          kind: 'oil-change' as const,
          day: changeDate,
          cost: cost ?? null,
          mileage,
        })),
        ...repairs.data.items.map(({ repairDate, cost, mileage }) => ({
          kind: 'repair' as const,
          day: repairDate,
          cost: cost ?? null,
          mileage,
        })),
      ]}
      readings={(noted.data ?? []).map(({ date, mileage }) => ({ day: date, mileage }))}
      completeFrom={newest([
        oil.data.next === null ? undefined : oil.data.items.at(-1)?.changeDate,
        repairs.data.next === null ? undefined : repairs.data.items.at(-1)?.repairDate,
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
