import type { Schemas } from '@/api/client';
import { vehicleName } from '@/lib/format';

/**
 * The names of vehicles by id, to choose among them. A name that repeats has the license plate before it, or else the
 * end of the VIN: `AAA 111, 2019 Ford Transit`. Behind it a narrow select would cut off what tells the two apart.
 */
export function vehicleNames(vehicles: Schemas['Vehicle'][]): Map<string, string> {
  const times = new Map<string, number>();
  for (const vehicle of vehicles) {
    const name = vehicleName(vehicle);
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  return new Map(
    vehicles.map((vehicle) => {
      const name = vehicleName(vehicle);
      const mark = vehicle.licensePlate ?? vehicle.vinNumber?.slice(-6);
      const isTold = times.get(name) === 1 || mark === undefined;
      return [vehicle.id, isTold ? name : `${mark}, ${name}`];
    }),
  );
}
