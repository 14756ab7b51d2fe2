import type { Schemas } from '@/api/client';
import { vehicleNames } from '@/components/vehicle-names';

type VehicleOptionsProps = { vehicles: Schemas['Vehicle'][] };

/** The vehicles as the options of a select. */
export function VehicleOptions({ vehicles }: VehicleOptionsProps) {
  return [...vehicleNames(vehicles)].map(([id, name]) => (
    <option key={id} value={id}>
      {name}
    </option>
  ));
}
