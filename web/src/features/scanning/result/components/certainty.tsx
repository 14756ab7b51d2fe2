import { certaintyText, type ScanView } from '@/features/scanning/result/scan-view';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

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
        aria-valuetext={formatPercent(confidence)}
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
