import { lazy, Suspense } from 'react';
import { AnalysingDialog } from '@/features/scan/components/analysing-dialog';
import { CameraPanel } from '@/features/scan/components/camera-panel';
import { FailureDialog } from '@/features/scan/components/failure-dialog';
import { ScanAnnouncer } from '@/features/scan/components/scan-announcer';
import type { useScanFlow } from '@/features/scan/use-scan-flow';
import { useStoredFlag } from '@/hooks/use-stored-flag';

// Most photos are sent as they are.
const CropDialog = lazy(async () => ({
  default: (await import('@/features/scan/components/crop-dialog')).CropDialog,
}));

type ScannerProps = {
  hasVehicle: boolean;
  scan: ReturnType<typeof useScanFlow>;
};

/** The camera panel with the dialogs of a scan under way. */
export function Scanner({ hasVehicle, scan }: ScannerProps) {
  const { flow } = scan;
  const [cropFirst, setCropFirst] = useStoredFlag('crop-first');
  return (
    <>
      <ScanAnnouncer flow={flow} />
      <CameraPanel
        hasVehicle={hasVehicle}
        analysing={flow.state === 'analysing'}
        offered={flow.state === 'idle' ? flow.offered : null}
        onPhoto={(photo) => {
          if (cropFirst) scan.startCrop(photo);
          else void scan.submit(photo);
        }}
        onAgain={(photo) => void scan.submit(photo)}
        onCrop={scan.startCrop}
        cropFirst={cropFirst}
        onCropFirst={setCropFirst}
      />
      {scan.cropping !== null && (
        <Suspense fallback={null}>
          <CropDialog
            photo={scan.cropping}
            onCancel={scan.endCrop}
            onDone={(photo) => {
              scan.endCrop();
              void scan.submit(photo);
            }}
          />
        </Suspense>
      )}
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
