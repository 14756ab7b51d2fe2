import type { CurvePoint } from '@/components/charts/model';
import type { Drift, ScoreShift } from '@/features/evaluations/queries';
import { countOf, formatCount, formatPercent } from '@/lib/format';

/** What there is to say: too little was scanned, nothing can be compared, or the outcome. */
type DriftState = 'too-few' | 'not-measured' | 'alike' | 'unlike';

export function driftState({ scans, leastScans, at, confidence, knownScore }: Drift): DriftState {
  if (at.length === 0) return 'not-measured';
  if (scans < leastScans || confidence === null || knownScore === null) return 'too-few';
  return confidence.isAlert || knownScore.isAlert ? 'unlike' : 'alike';
}

/** How many scans were compared, in words. */
export function comparedText({ scans, days }: Drift): string {
  return `${countOf(scans, 'scan')} of the last ${days} days`;
}

/** A mark as a percentage with as many digits as it needs: 0.9995 is `99.95%`. */
export function markText(mark: number): string {
  return `${Number((mark * 100).toFixed(2))}%`;
}

/** Where the two curves are farthest apart, in a sentence. */
export function gapText(what: string, { at }: Drift, shift: ScoreShift): string {
  const place = at.indexOf(shift.largestAt);
  const [fitted, now] = [shift.fitted[place], shift.now[place]];
  if (fitted === undefined || now === undefined) return '';
  return `${what} of at most ${markText(shift.largestAt)}: ${formatPercent(now)} of your scans, ${formatPercent(fitted)} of the photos that the model was calibrated on (${chanceText(shift.pValue)}).`;
}

/** A p-value in words. */
function chanceText(pValue: number): string {
  return pValue < 0.001 ? 'p below 0.001' : `p = ${pValue.toFixed(3)}`;
}

/** What may lie behind a shift, and what helps. */
export function advice({ confidence, knownScore }: Drift): string[] {
  const found: string[] = [];
  if (knownScore?.isAlert === true && knownScore.isLower) {
    found.push(
      'More photos than expected show something that the model does not know. Teach those parts.',
    );
  }
  if (confidence?.isAlert === true && confidence.isLower) {
    found.push(
      'The model is less sure than it was. Look at light, sharpness and distance of recent photos.',
    );
  }
  if (
    [confidence, knownScore].some((shift) => shift?.isAlert === true && !shift.isLower) &&
    found.length === 0
  ) {
    found.push(
      'The model is surer than it was. That is harmless where your photos are easy; a few parts scanned again and again look the same.',
    );
  }
  found.push('Measure your own photos below: that shows whether the percentages still hold.');
  return found;
}

/** That the pictures themselves have changed or not, in a sentence; null where nobody can tell. */
export function picturesText({ embedding }: Drift): string | null {
  if (embedding === null) return null;
  const against = `${formatCount(embedding.earlierScans)} scans of the 90 days before`;
  const figures = `squared discrepancy ${embedding.mmdSquared.toFixed(3)}, ${chanceText(embedding.pValue)}`;
  return embedding.isAlert
    ? `What they show has changed against ${against} (${figures}). That alone is no harm: other parts look different.`
    : `What they show is like ${against} (${figures}).`;
}

/** The two curves of a score, mark by mark. */
export function curvesOf({ at }: Drift, { fitted, now }: ScoreShift): CurvePoint[] {
  return at.map((mark, index) => ({
    name: markText(mark),
    values: [now[index] ?? 0, fitted[index] ?? 0],
  }));
}
