import type { ScanView } from '@/features/scanning/result/scan-view';
import { vehicleName } from '@/lib/format';

/** The words to search the part with anywhere, and its number where it is sure: `2015 Honda Civic Brake Caliper 34116`. */
export function partQuery({ vehicle, identification }: ScanView, number?: string | null): string {
  return [vehicle != null && vehicleName(vehicle), identification.partName, number]
    .filter(Boolean)
    .join(' ');
}
