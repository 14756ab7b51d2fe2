import { Fragment } from 'react';
import type { Assembly } from '@/components/drawings/assembly';
import { NameLeader } from '@/components/drawings/name-leader';
import { classNames } from '@/lib/class-names';

const WIDTH = 360;
const HEIGHT = 150;

type ExplodedViewProps = {
  assembly: Assembly;
  label: string;
  /** As the answer calls the part. */
  name: string;
};

/** Parts that belong together, pulled apart, with one of them pointed out. */
export function ExplodedView({ assembly, label, name }: ExplodedViewProps) {
  const { pieces, axis } = assembly;
  const chosen = pieces.find(({ labels }) => labels.includes(label));
  return (
    <figure className="grid content-start gap-2">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${name}, pointed out among the parts around it`}
        className="h-auto w-full rounded-md border bg-canvas/50"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {axis !== undefined && (
          <path d={axis} fill="none" strokeDasharray="8 3 2 3" className="stroke-line" />
        )}
        {pieces.map((piece) => (
          <g
            key={piece.name}
            className={
              piece === chosen
                ? 'fill-(--piece) stroke-accent [--piece:var(--color-accent-wash)]'
                : 'fill-(--piece) stroke-control [--piece:var(--color-surface)]'
            }
          >
            {piece.drawing}
          </g>
        ))}
        {chosen !== undefined && <NameLeader name={name} at={chosen.at} width={WIDTH} />}
      </svg>
      <figcaption className="text-sm text-soft">
        <span className="font-medium text-ink">{assembly.name}:</span>{' '}
        {pieces.map((piece, index) => (
          <Fragment key={piece.name}>
            {index > 0 && ', '}
            <span className={classNames(piece === chosen && 'font-medium text-accent')}>
              {piece.name}
            </span>
          </Fragment>
        ))}
        .
      </figcaption>
    </figure>
  );
}
