import { useId } from 'react';
import { axisOf, pointsOf, type Axis, type Point } from '@/features/dial/picture';
import { boundText } from '@/features/dial/model';
import type { Schemas } from '@/api/client';
import { classNames } from '@/lib/class-names';
import { formatPercent } from '@/lib/format';

type DialPictureProps = {
  choices: Schemas['DialChoice'][];
  /** The choice that is shown bright. */
  chosen: number | null;
};

/** In units of the drawing, which is scaled to the width that there is. */
const WIDTH = 340;
const HEIGHT = 226;
const LEFT = 50;
const RIGHT = 16;
const TOP = 46;
const BOTTOM = 44;

/** How right the answers are against how many there are: being stricter leads up and to the left. */
export function DialPicture({ choices, chosen }: DialPictureProps) {
  const captionId = useId();
  const points = pointsOf(choices);
  if (points.length === 0) return null;
  const across = axisOf(points.map(({ answered }) => answered));
  const up = axisOf(points.map(({ rightAtLeast }) => rightAtLeast));
  const x = (share: number) =>
    LEFT + ((share - across.from) / (across.to - across.from)) * (WIDTH - LEFT - RIGHT);
  const y = (share: number) =>
    TOP + ((up.to - share) / (up.to - up.from)) * (HEIGHT - TOP - BOTTOM);
  return (
    <figure className="grid gap-1.5">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={points.map(pointText).join(' ')}
        aria-describedby={captionId}
        className="mx-auto w-full max-w-sm rounded-md border bg-canvas"
      >
        <Grid across={across} up={up} x={x} y={y} />
        <polyline
          points={points.map(({ answered, right }) => `${x(answered)},${y(right)}`).join(' ')}
          className="fill-none stroke-control"
          strokeDasharray="3 4"
        />
        {points.map((point) => {
          const bright = chosen !== null && point.percents.includes(chosen);
          return (
            <g
              key={point.percents[0]}
              className={bright ? 'fill-accent stroke-accent' : 'fill-muted stroke-muted'}
            >
              <line
                x1={x(point.answered)}
                x2={x(point.answered)}
                y1={y(point.right)}
                y2={y(point.rightAtLeast)}
                strokeWidth={bright ? 3 : 2}
              />
              <circle
                cx={x(point.answered)}
                cy={y(point.right)}
                r={bright ? 7 : 5}
                className="stroke-none"
              />
              <text
                x={x(point.answered)}
                y={y(point.right) - 11}
                textAnchor="middle"
                className={classNames(
                  'stroke-none text-[13px] font-semibold',
                  bright ? 'fill-accent' : 'fill-soft',
                )}
              >
                {point.percents.join(', ')}%
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption id={captionId} className="text-xs text-muted">
        Each dot is a choice, by how many photos it answers and how many of the answers were right.
        The line below it ends where the share may lie at worst.
      </figcaption>
    </figure>
  );
}

type GridProps = {
  across: Axis;
  up: Axis;
  x: (share: number) => number;
  y: (share: number) => number;
};

function Grid({ across, up, x, y }: GridProps) {
  return (
    <g className="stroke-line text-[12px]">
      {up.ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={WIDTH - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text
            x={LEFT - 8}
            y={y(tick) + 4}
            textAnchor="end"
            className="fill-muted stroke-none tabular-nums"
          >
            {formatPercent(tick)}
          </text>
        </g>
      ))}
      {across.ticks.map((tick) => (
        <text
          key={tick}
          x={x(tick)}
          y={HEIGHT - BOTTOM + 18}
          textAnchor={tick === across.to ? 'end' : 'middle'}
          className="fill-muted stroke-none tabular-nums"
        >
          {formatPercent(tick)}
        </text>
      ))}
      <text
        x={LEFT + (WIDTH - LEFT - RIGHT) / 2}
        y={HEIGHT - 8}
        textAnchor="middle"
        className="fill-soft stroke-none"
      >
        Photos answered here
      </text>
      <text x={8} y={18} className="fill-soft stroke-none">
        Right answers
      </text>
    </g>
  );
}

function pointText({ percents, answered, right, rightAtLeast }: Point): string {
  return `At most ${percents.join('% or ')}% wrong: ${formatPercent(answered)} of the photos answered, ${(right * 100).toFixed(1)}% of the answers right, no more than ${boundText(1 - rightAtLeast)} wrong.`;
}
