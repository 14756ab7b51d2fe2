import type { Schemas } from '@/api/client';
import { vehicleName } from '@/lib/format';

type VehicleOptionsProps = { vehicles: Schemas['Vehicle'][] };

/** The vehicles as the options of a select. */
export function VehicleOptions({ vehicles }: VehicleOptionsProps) {
  return vehicles.map((vehicle) => (
    <option key={vehicle.id} value={vehicle.id}>
      {vehicleName(vehicle)}
    </option>
  ));
}
