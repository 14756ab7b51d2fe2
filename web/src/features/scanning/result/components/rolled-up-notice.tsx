import type { Schemas } from '@/api/client';
import { partOfCategory } from '@/api/part-category';
import { OneOfThese } from '@/features/scanning/result/components/one-of-these';
import { matchPercent } from '@/features/scanning/result/match';
import { candidateSetOf, couldBe, type ScanView } from '@/features/scanning/result/scan-view';
import { formatPercent } from '@/lib/format';

type RolledUpNoticeProps = { view: ScanView; rolledUp: Schemas['RolledUp'] };

/** The answer where parts of one category tie: the category, and which of its parts it could be. */
export function RolledUpNotice({ view, rolledUp }: RolledUpNoticeProps) {
  const set = candidateSetOf(view);
  const { parts, others } = couldBe(view);
  const isOne = set === null && parts.length === 1;
  return (
    <section
      aria-labelledby="rolled-up-title"
      className="grid grid-cols-1 gap-3 rounded-lg border border-warn/45 bg-warn-wash p-4"
    >
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h3 id="rolled-up-title" className="text-xl font-semibold tracking-tight text-balance">
          Probably {partOfCategory(rolledUp.category)}
        </h3>
        <span className="text-sm font-semibold text-warn">
          {formatPercent(rolledUp.confidence)} sure
        </span>
      </div>
      {set !== null ? (
        <OneOfThese set={set} view={view} />
      ) : (
        <div className="grid grid-cols-1 gap-1.5">
          <p id="could-be" className="text-sm text-soft">
            {isOne ? 'Not sure which one. Most likely it is:' : 'Not sure which one. It could be:'}
          </p>
          <ul aria-labelledby="could-be" className="grid grid-cols-1 gap-1">
            {parts.map(({ label, name, confidence }) => (
              <li key={label} className="flex justify-between gap-3 text-sm">
                <span className="font-medium wrap-anywhere">{name}</span>
                <span className="shrink-0 text-soft tabular-nums">
                  {matchPercent(confidence, view.receipt)} match
                </span>
              </li>
            ))}
          </ul>
          {others.length > 0 && (
            <p className="text-sm text-soft">
              Less likely:{' '}
              {others
                .map(({ name, confidence }) => `${name}, ${formatPercent(confidence)} match`)
                .join('; ')}
              .
            </p>
          )}
        </div>
      )}
      <p className="text-sm text-soft">
        Compare {isOne ? 'it' : 'them'} with the part in your hand before you buy, or take the photo
        below.
      </p>
    </section>
  );
}
