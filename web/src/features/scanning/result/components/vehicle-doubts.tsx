import { Notice } from '@/components/ui/notice';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { formatPercent } from '@/lib/format';

type VehicleDoubtsProps = Pick<ScanView, 'vehicleDoubts'>;

/** What the photo looks like by itself, and why that cannot be on this vehicle. */
export function VehicleDoubts({ vehicleDoubts }: VehicleDoubtsProps) {
  if (vehicleDoubts.length === 0) return null;
  return (
    <Notice tone="info" title="The vehicle speaks against it">
      <ul className="grid gap-1">
        {vehicleDoubts.map(({ label, name, reason, confidenceWithoutVehicle }) => (
          <li key={label}>
            {reason} By the photo alone it would be {name} with{' '}
            {formatPercent(confidenceWithoutVehicle)}.
          </li>
        ))}
      </ul>
    </Notice>
  );
}
