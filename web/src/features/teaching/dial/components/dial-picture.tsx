import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { RangeChart } from '@/components/charts/charts';
import { boundText } from '@/features/teaching/dial/model';
import { axisOf, pointsOf, type Point } from '@/features/teaching/dial/picture';
import { formatPercent } from '@/lib/format';

type DialPictureProps = {
  choices: Schemas['DialChoice'][];
  /** The choice that is shown bright. */
  chosen: number | null;
};

/** On a narrower window the drawing would push the choices off the screen, in px. */
const WIDE_FROM = 640;

/** The drawing of the choices; on a phone on request. */
export function FoldedPicture(props: DialPictureProps) {
  const [isWide] = useState(() => window.innerWidth >= WIDE_FROM);
  if (pointsOf(props.choices).length === 0) return null;
  return (
    <details open={isWide} className="text-sm">
      <summary className="w-fit cursor-pointer rounded-sm py-1 font-medium text-soft">
        The choices as a drawing
      </summary>
      <DialPicture {...props} />
    </details>
  );
}

/** How right the answers are against how many there are: being stricter leads up and to the left. */
function DialPicture({ choices, chosen }: DialPictureProps) {
  const points = pointsOf(choices);
  return (
    <div className="mx-auto w-full max-w-lg">
      <RangeChart
        title="the choices"
        what="At most wrong"
        summary={points.map(pointText).join(' ')}
        caption="Each dot is a choice, by how many photos it answers and how many of the answers were right. The line below it ends where the share may lie at worst."
        points={points.map(({ percents, answered, right, rightAtLeast }) => ({
          label: `${percents.join(', ')}%`,
          across: answered,
          up: right,
          upAtLeast: rightAtLeast,
          bright: chosen !== null && percents.includes(chosen),
        }))}
        across={{
          ...axisOf(points.map(({ answered }) => answered)),
          name: 'Photos answered here',
        }}
        up={{ ...axisOf(points.map(({ rightAtLeast }) => rightAtLeast)), name: 'Right answers' }}
        format={formatPercent}
      />
    </div>
  );
}

function pointText({ percents, answered, right, rightAtLeast }: Point): string {
  return `At most ${percents.join('% or ')}% wrong: ${formatPercent(answered)} of the photos answered, ${(right * 100).toFixed(1)}% of the answers right, no more than ${boundText(1 - rightAtLeast)} wrong.`;
}
