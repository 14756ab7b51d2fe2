/** What is drawn without the library that draws it: plain facts, so that screens stay small. */

export type Bar = {
  /** The whole name, such as a day with its year. */
  name: string;
  /** What fits below the bar. */
  short: string;
  /** One value a series, from the bottom up. */
  values: number[];
};

export type LinePoint = {
  /** Milliseconds since 1970. */
  at: number;
  name: string;
  value: number;
};

export type ChartAxis = { from: number; to: number; ticks: number[]; name: string };

/** What two curves say at one mark. */
export type CurvePoint = {
  /** What the mark is. */
  name: string;
  /** One value a curve, in 0..=1. */
  values: [number, number];
};

/** A value that is known within bounds, against another. */
export type RangePoint = {
  label: string;
  across: number;
  up: number;
  /** The least that `up` may be. */
  upAtLeast: number;
  bright: boolean;
};

/** Average width of a bold letter of a label, and the height of its line, in px. */
const LETTER = 8;
const LABEL_LINE = 15;

/**
 * How much higher than usual the label of each dot stands, in px. One that would touch the label before it stands a
 * line above that: "2%" beside "5%" would read as one figure.
 */
export function labelRises(dots: { label: string; x: number; y: number }[]): number[] {
  const rises: number[] = [];
  dots.forEach(({ label, x, y }, index) => {
    const before = dots[index - 1];
    const top = before === undefined ? y : before.y - (rises[index - 1] ?? 0);
    const touches =
      before !== undefined &&
      Math.abs(x - before.x) < ((label.length + before.label.length + 1) * LETTER) / 2 &&
      Math.abs(y - top) < LABEL_LINE;
    rises.push(touches ? y - top + LABEL_LINE : 0);
  });
  return rises;
}

export function totalOf({ values }: Bar): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** A table that says what a chart shows: a name and its values a row. */
export type Figures = { head: string[]; rows: string[][] };

/**
 * Bars as a table, the last, which is the newest, first; what is nothing is left out. Sums stand where
 * there is something to sum.
 */
export function barFigures(
  what: string,
  series: string[],
  bars: Bar[],
  format: (value: number) => string,
): Figures {
  const summed = series.length > 1;
  return {
    head: [what, ...series, ...(summed ? ['Total'] : [])],
    rows: bars
      .filter((bar) => totalOf(bar) > 0)
      .map((bar) => [
        bar.name,
        ...bar.values.map(format),
        ...(summed ? [format(totalOf(bar))] : []),
      ])
      .reverse(),
  };
}

/**
 * Which of `count` labels stand so that each has `room`, counted from the last one, which is the
 * newest and always stands.
 */
export function shownLabels(count: number, width: number, room: number): Set<number> {
  const every = Math.max(1, Math.ceil((count * room) / Math.max(width, 1)));
  return new Set(
    Array.from({ length: count }, (_, index) => index).filter(
      (index) => (count - 1 - index) % every === 0,
    ),
  );
}

/** Those of equally spaced ticks, at these places in px, of which each has `room` for its label. */
export function roomyTicks<Tick>(ticks: Tick[], placeOf: (tick: Tick) => number, room: number) {
  const [first, second] = ticks;
  if (first === undefined || second === undefined) return ticks;
  const step = placeOf(second) - placeOf(first);
  const shown = shownLabels(ticks.length, step * ticks.length, room);
  return ticks.filter((_, index) => shown.has(index));
}

/** Which bars have their value written: all where they are wide enough, else the highest. */
export function labelledBars(bars: Bar[], step: number, room: number): Set<number> {
  const worthIt = bars.flatMap((bar, index) => (totalOf(bar) > 0 ? index : []));
  if (step >= room) return new Set(worthIt);
  const highest = Math.max(...bars.map(totalOf));
  return new Set(worthIt.filter((index) => totalOf(bars[index] ?? EMPTY) === highest).slice(-1));
}

const EMPTY: Bar = { name: '', short: '', values: [] };
