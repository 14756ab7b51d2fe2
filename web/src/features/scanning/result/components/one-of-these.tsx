import { useId } from 'react';
import { Link } from 'react-router';
import { ShopPartTexts } from '@/components/shop-part-texts';
import { partHref } from '@/config/paths';
import { oneOfText, promiseText, type CandidateSet } from '@/features/scanning/candidate-set';
import { matchPercent } from '@/features/scanning/result/match';
import type { ScanView } from '@/features/scanning/result/scan-view';

type OneOfTheseProps = { set: CandidateSet; view: ScanView };

/** The few parts that an answer is one of, with what the shop knows of each, and how far that can be relied on. */
export function OneOfThese({ set, view }: OneOfTheseProps) {
  const sentenceId = useId();
  const promise = promiseText(set);
  return (
    <div className="grid grid-cols-1 gap-1.5">
      <p id={sentenceId} className="text-sm font-medium">
        {oneOfText(set)}.
      </p>
      <ul aria-labelledby={sentenceId} className="grid grid-cols-1 gap-1">
        {view.candidateSet?.labels.map(({ label, name, category, confidence, shopParts }) => (
          <li key={label} className="grid grid-cols-1 gap-0.5">
            <div className="flex flex-wrap gap-x-3 text-sm">
              {category === null ? (
                <span className="min-w-0 flex-1 basis-[8rem] font-medium wrap-anywhere">
                  {name}
                </span>
              ) : (
                <Link
                  to={partHref(category, label)}
                  className="min-w-0 flex-1 basis-[8rem] font-medium underline wrap-anywhere hover:no-underline"
                >
                  {name}
                </Link>
              )}
              <span className="ml-auto shrink-0 text-soft tabular-nums">
                {matchPercent(confidence, view.receipt)} match
              </span>
            </div>
            <ShopPartTexts parts={shopParts} />
          </li>
        ))}
      </ul>
      {promise !== null && <p className="text-xs text-muted">{promise}</p>}
    </div>
  );
}
