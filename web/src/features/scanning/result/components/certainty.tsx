import { isSureOtherwise, matchPercent, wasSureBefore } from '@/features/scanning/result/match';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { classNames } from '@/lib/class-names';

type CertaintyProps = { view: ScanView };

/** How sure the answer is: as a bar, and as what the percentage means. */
export function Certainty({ view }: CertaintyProps) {
  const { confidence } = view.identification;
  const percent = Math.round(confidence * 100);
  return (
    <div className="grid gap-1.5">
      <div
        role="meter"
        aria-label="How sure"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={matchPercent(confidence, view.receipt)}
        className="h-2 overflow-hidden rounded-full bg-raised"
      >
        <div
          className={classNames(
            'h-full rounded-full',
            view.verdict === 'identified' ? 'bg-accent' : 'bg-warn',
          )}
          style={{ width: `${percent}%` }}
        />
      </div>
      <p className="text-xs text-muted">{certaintyText(view)}</p>
    </div>
  );
}

/** What the percentage of an answer means. */
function certaintyText(view: ScanView): string {
  const { identification, receipt } = view;
  const { confidence } = identification;
  if (receipt.verdictPath !== 'local') {
    return `${matchPercent(confidence, receipt)} counts in what the vision-LLM said. How often that is right is assumed here, not measured.`;
  }
  if (wasSureBefore(view)) return 'The percentage is that of the photo alone.';
  if (isSureOtherwise(view)) return 'More than the percentage makes this answer sure.';
  return `Of 100 answers with this percentage, about ${rightOf100(confidence)} right.`;
}

function rightOf100(confidence: number): string {
  const right = Math.min(99, Math.round(confidence * 100));
  if (right === 0) return 'none is';
  return right === 1 ? '1 is' : `${right} are`;
}
