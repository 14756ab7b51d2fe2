/** How charts look: the tokens of `styles.css`, where a library wants them as properties. */

const TEXT = { fontSize: 12, fontFamily: 'inherit' } as const;

export const CHART_HEIGHT = 200;
/** Room for the labels of both axes, in pixels. */
export const MARGIN = { top: 22, right: 24, bottom: 34, left: 56 } as const;
/** Pixels that a digit of a label takes at most, and those between a label and the plot with the edge. */
const DIGIT_WIDTH = 7.7;
const LABEL_GAP = 14;

/** As wide on the left as the longest of the labels there needs. */
export function marginFor(labels: string[]) {
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return { ...MARGIN, left: Math.max(MARGIN.left, Math.ceil(longest * DIGIT_WIDTH) + LABEL_GAP) };
}

export const AXIS = { hideAxisLine: true, hideTicks: true } as const;

const TICK_LABEL = { ...TEXT, fill: 'var(--color-muted)' } as const;
export const TICK_LABEL_LEFT = {
  ...TICK_LABEL,
  textAnchor: 'end',
  dx: '-0.25em',
  dy: '0.33em',
} as const;
export const TICK_LABEL_BOTTOM = { ...TICK_LABEL, textAnchor: 'middle' } as const;
/** A value that stands beside its mark. */
export const VALUE_LABEL = { ...TEXT, fontWeight: 600, fill: 'var(--color-soft)' } as const;
export const AXIS_NAME = { ...TEXT, fill: 'var(--color-soft)' } as const;

export const GRID_STROKE = 'var(--color-line)';
export const LINE_STROKE = 'var(--color-accent)';
/** What is not chosen, or leads the eye only. */
export const QUIET = 'var(--color-muted)';

/** The series of a chart in their order; the second is hatched too, so that no colour is needed. */
export const SERIES = [
  { colour: 'var(--color-accent)', hatched: false },
  { colour: 'var(--color-warn)', hatched: true },
] as const;
