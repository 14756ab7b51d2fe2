import { Button } from '@/components/ui/button';
import type { useScanFlow } from '@/features/scan/use-scan-flow';

type PlainFailureProps = { scan: ReturnType<typeof useScanFlow> };

/** Stands in for the dialogs of a scan when their code did not arrive: the server went away first. */
export function PlainFailure({ scan }: PlainFailureProps) {
  const { flow } = scan;
  if (flow.state !== 'failed') return null;
  return (
    <div
      role="dialog"
      aria-labelledby="plain-failure"
      className="grid gap-3 rounded-lg border border-bad/45 bg-bad-wash p-4 text-sm"
    >
      <div>
        <p id="plain-failure" className="font-semibold text-bad">
          Analysis Failed
        </p>
        <p>{flow.failure.message}</p>
        <p className="text-soft">{flow.failure.advice}</p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button size="small" onClick={scan.close}>
          Close
        </Button>
        <Button size="small" onClick={scan.retry}>
          Try Again
        </Button>
        {flow.failure.kind === 'unreachable' && (
          <Button size="small" look="primary" onClick={() => void scan.keepForLater()}>
            Keep and Send Later
          </Button>
        )}
      </div>
    </div>
  );
}
