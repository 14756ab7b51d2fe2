import { AnalysingDialog } from '@/features/scan/components/analysing-dialog';
import { CameraPanel } from '@/features/scan/components/camera-panel';
import { FailureDialog } from '@/features/scan/components/failure-dialog';
import { ScanAnnouncer } from '@/features/scan/components/scan-announcer';
import type { useScanFlow } from '@/features/scan/use-scan-flow';

type ScannerProps = {
  hasVehicle: boolean;
  scan: ReturnType<typeof useScanFlow>;
};

/** The camera panel with the dialogs of a scan under way. */
export function Scanner({ hasVehicle, scan }: ScannerProps) {
  const { flow } = scan;
  return (
    <>
      <ScanAnnouncer flow={flow} />
      <CameraPanel
        hasVehicle={hasVehicle}
        analysing={flow.state === 'analysing'}
        offered={flow.state === 'idle' ? flow.offered : null}
        onPhoto={(photo) => void scan.submit(photo)}
      />
      <AnalysingDialog
        photo={flow.state === 'analysing' ? flow.photo : null}
        here={flow.state === 'analysing' && flow.here}
        onCancel={scan.cancel}
      />
      <FailureDialog
        failure={flow.state === 'failed' ? flow.failure : null}
        onClose={scan.close}
        onRetry={scan.retry}
        onKeep={() => void scan.keepForLater()}
      />
    </>
  );
}
