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

/** Which bars have their value written: all where they are wide enough, else the highest. */
export function labelledBars(bars: Bar[], step: number, room: number): Set<number> {
  const worthIt = bars.flatMap((bar, index) => (totalOf(bar) > 0 ? index : []));
  if (step >= room) return new Set(worthIt);
  const highest = Math.max(...bars.map(totalOf));
  return new Set(worthIt.filter((index) => totalOf(bars[index] ?? EMPTY) === highest).slice(-1));
}

const EMPTY: Bar = { name: '', short: '', values: [] };
