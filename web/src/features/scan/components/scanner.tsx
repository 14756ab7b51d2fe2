import type { Schemas } from '@/api/client';
import { AnalysingDialog } from '@/features/scan/components/analysing-dialog';
import { CameraPanel } from '@/features/scan/components/camera-panel';
import { FailureDialog } from '@/features/scan/components/failure-dialog';
import type { useScanFlow } from '@/features/scan/use-scan-flow';

type ScannerProps = {
  vehicle: Schemas['Vehicle'] | null;
  scan: ReturnType<typeof useScanFlow>;
};

/** The camera panel with the dialogs of a scan under way. */
export function Scanner({ vehicle, scan }: ScannerProps) {
  const { flow } = scan;
  return (
    <>
      <CameraPanel
        hasVehicle={vehicle !== null}
        analysing={flow.state === 'analysing'}
        offered={flow.state === 'idle' ? flow.offered : null}
        onPhoto={(photo) => void scan.submit(photo)}
      />
      <AnalysingDialog
        photo={flow.state === 'analysing' ? flow.photo : null}
        onCancel={scan.cancel}
      />
      <FailureDialog
        failure={flow.state === 'failed' ? flow.failure : null}
        onClose={scan.close}
        onRetry={scan.retry}
      />
    </>
  );
}
