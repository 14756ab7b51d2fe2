import type { ScanView } from '@/features/scanning/result/scan-view';
import { vehicleName } from '@/lib/format';

/** The words to search the part with anywhere: `2015 Honda Civic Brake Caliper`. */
export function partQuery({ vehicle, identification }: ScanView): string {
  return vehicle == null
    ? identification.partName
    : `${vehicleName(vehicle)} ${identification.partName}`;
}
