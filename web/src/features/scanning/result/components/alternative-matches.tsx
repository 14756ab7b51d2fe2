import type { Schemas } from '@/api/client';
import { formatPercent } from '@/lib/format';

/** A bar of a smaller share is a speck that says less than the figure above it. */
const WORTH_A_BAR = 0.01;

type AlternativeMatchesProps = { alternatives: Schemas['Alternative'][] };

export function AlternativeMatches({ alternatives }: AlternativeMatchesProps) {
  if (alternatives.length === 0) return null;
  return (
    <section aria-labelledby="alternatives-title" className="grid grid-cols-1 gap-3 border-t pt-5">
      <h3 id="alternatives-title" className="section-title">
        Alternative Matches
      </h3>
      <ul className="grid grid-cols-1 gap-2.5">
        {alternatives.map(({ label, name, confidence }) => (
          <li key={label} className="grid grid-cols-1 gap-1">
            <div className="flex flex-wrap gap-x-3 text-sm">
              <span className="min-w-0 flex-1 basis-[8rem] text-soft wrap-anywhere">{name}</span>
              <span className="ml-auto shrink-0 text-muted tabular-nums">
                {confidence > 0 ? `${formatPercent(confidence)} match` : 'Alternative'}
              </span>
            </div>
            {confidence >= WORTH_A_BAR && (
              <div aria-hidden className="h-1 rounded-full bg-raised">
                <div
                  className="h-full rounded-full bg-control"
                  style={{ width: `${confidence * 100}%` }}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
