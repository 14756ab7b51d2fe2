import { AnalysingDialog } from '@/features/scanning/capture/components/analysing-dialog';
import { FailureDialog } from '@/features/scanning/capture/components/failure-dialog';
import type { useScanFlow } from '@/features/scanning/capture/use-scan-flow';

type ScanDialogsProps = {
  scan: ReturnType<typeof useScanFlow>;
  /** What had the focus before the scan. */
  returnFocus: () => HTMLElement | null;
};

/** The dialogs of a scan under way. */
export function ScanDialogs({ scan, returnFocus }: ScanDialogsProps) {
  const { flow } = scan;
  return (
    <>
      <AnalysingDialog
        photos={flow.state === 'analysing' ? flow.photos : []}
        here={flow.state === 'analysing' && flow.here}
        onCancel={scan.cancel}
        returnFocus={returnFocus}
      />
      <FailureDialog
        failure={flow.state === 'failed' ? flow.failure : null}
        onClose={scan.close}
        onRetry={scan.retry}
        onKeep={() => void scan.keepForLater()}
        onSeveral={
          flow.state === 'failed' && flow.photos.length === 1
            ? () => void scan.submit(flow.photos, true)
            : null
        }
        returnFocus={returnFocus}
      />
    </>
  );
}
