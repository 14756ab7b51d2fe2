import type { Schemas } from '@/api/client';
import { FeedbackPanel } from '@/features/feedback/components/feedback-panel';
import type { ScanView } from '@/features/scan/scan-view';

type ScanExtrasProps = {
  view: ScanView;
  defaultVehicle: Schemas['Vehicle'] | null;
};

/** What stands under the answer of a scan beside what the scan itself says. */
export function ScanExtras({ view }: ScanExtrasProps) {
  return (
    <FeedbackPanel
      scanId={view.id}
      partName={view.identification.partName}
      feedback={view.feedback}
    />
  );
}
