import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import { vehicleNames } from '@/components/vehicle-names';
import { VehicleSelect } from '@/components/vehicle-select';
import { maintenanceQueries } from '@/features/garage/maintenance/queries';
import { oilChangeQueries } from '@/features/garage/oil-changes/queries';
import { repairQueries } from '@/features/garage/repair-history/queries';
import {
  RunningCostsCard,
  RunningCostsCharts,
} from '@/features/garage/running-costs/components/running-costs-card';
import { useAddressParams } from '@/hooks/use-address-params';
import type { Day } from '@/lib/dates';

type RunningCostsProps = { vehicles: Schemas['Vehicle'][] };

/** The costs and mileage of one vehicle, the default one at first. */
export function RunningCosts({ vehicles }: RunningCostsProps) {
  const [params, change] = useAddressParams();
  const vehicle =
    vehicles.find(({ id }) => id === params.get('costs')) ??
    vehicles.find(({ isDefault }) => isDefault);
  if (vehicle === undefined) return null;
  return (
    <RunningCostsCard
      name={vehicleNames(vehicles).get(vehicle.id) ?? ''}
      choice={
        vehicles.length > 1 && (
          <VehicleSelect
            vehicles={vehicles}
            label="Costs and mileage of"
            value={vehicle.id}
            onChange={(event) =>
              change({ costs: event.target.value }, { replace: true, preventScrollReset: true })
            }
            className="max-w-xs"
          />
        )
      }
    >
      <Charts vehicleId={vehicle.id} />
    </RunningCostsCard>
  );
}

/** From all of its records. */
function Charts({ vehicleId }: { vehicleId: string }) {
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
    <RunningCostsCharts
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
