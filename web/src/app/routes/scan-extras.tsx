import { useQuery } from '@tanstack/react-query';
import { authQueries } from '@/features/accounts/auth/queries';
import { FeedbackPanel } from '@/features/scanning/feedback/components/feedback-panel';
import { FitPanel } from '@/features/parts/fit/components/fit-panel';
import { VehicleDoubts } from '@/features/scanning/result/components/vehicle-doubts';
import { PartRecalls } from '@/features/parts/recalls/components/part-recalls';
import { savedVehicleOf, type ScanView } from '@/features/scanning/result/scan-view';
import { SimilarParts } from '@/features/parts/similar-parts/components/similar-parts';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

type ScanExtrasProps = { view: ScanView };

/** What stands under the answer of a scan beside what the scan itself says. */
export function ScanExtras({ view }: ScanExtrasProps) {
  const vehicles = useQuery(vehicleQueries.list());
  const vehicle = savedVehicleOf(view, vehicles.data ?? []);
  return (
    <>
      {vehicle !== null && view.verdict === 'identified' && (
        <PartRecalls partId={view.part.id} vehicleId={vehicle.id} />
      )}
      <VehicleDoubts vehicleDoubts={view.vehicleDoubts} />
      <FeedbackPanel
        scanId={view.id}
        partName={view.identification.partName}
        feedback={view.feedback}
      />
    </>
  );
}

/** What to know before the part is bought: whether the shop has it, and whether it fits. */
export function BuyingExtras({ view }: ScanExtrasProps) {
  const user = useQuery(authQueries.user());
  const vehicles = useQuery(vehicleQueries.list());
  return (
    <>
      {user.data != null && <SimilarParts scanId={view.id} />}
      {user.data != null && vehicles.data != null && (
        <FitPanel
          partId={view.part.id}
          vehicles={vehicles.data}
          inPlan={user.data.planType !== 'basic'}
        />
      )}
    </>
  );
}
