import { useId } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { ShopPartTexts } from '@/components/shop-part-texts';
import { partHref } from '@/config/paths';
import { oneOfText, promiseText, type CandidateSet } from '@/features/scanning/candidate-set';
import { formatPercent } from '@/lib/format';

type OneOfTheseProps = { set: CandidateSet; parts: Schemas['SetCandidate'][] };

/** The few parts that an answer is one of, with what the shop knows of each, and how far that can be relied on. */
export function OneOfThese({ set, parts }: OneOfTheseProps) {
  const sentenceId = useId();
  return (
    <div className="grid gap-1.5">
      <p id={sentenceId} className="text-sm font-medium">
        {oneOfText(set)}.
      </p>
      <ul aria-labelledby={sentenceId} className="grid gap-1">
        {parts.map(({ label, name, category, confidence, shopParts }) => (
          <li key={label} className="grid gap-0.5">
            <div className="flex justify-between gap-3 text-sm">
              {category === null ? (
                <span className="font-medium">{name}</span>
              ) : (
                <Link
                  to={partHref(category, label)}
                  className="font-medium underline hover:no-underline"
                >
                  {name}
                </Link>
              )}
              <span className="text-soft tabular-nums">{formatPercent(confidence)} match</span>
            </div>
            <ShopPartTexts parts={shopParts} />
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">{promiseText(set)}</p>
    </div>
  );
}
