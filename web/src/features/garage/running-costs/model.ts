import { totalOf, type Bar, type LinePoint } from '@/components/charts/model';
import { formatDay, type Day } from '@/lib/dates';

/** What a record in the history of a vehicle cost, and what the odometer showed. */
export type Entry = {
  kind: 'oil-change' | 'repair';
  day: Day;
  /** US dollars; null where nobody entered it. */
  cost: number | null;
  mileage: number;
};

export type Reading = { day: Day; mileage: number };

/** The kinds of a bar, from the bottom up. */
export const KINDS = ['Oil changes', 'Repairs'];

/** A longer time than this is told by the year, in months. */
const MOST_MONTHS = 18;
/** Years that are told at most. */
const MOST_YEARS = 12;

const MONTH = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});
const SHORT_MONTH = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: '2-digit',
  timeZone: 'UTC',
});

/** What was spent in each month, or over a longer time in each year. */
type Spending = { unit: 'month' | 'year'; bars: Bar[] };

/**
 * The money of `entries`, in dollars, from the first that is known until `today`. Of what lies
 * before `completeFrom` some is not loaded, and a part of a month or year would pass for all of it:
 * only whole ones are told. Null where nothing can be.
 */
export function spendingOf(
  entries: Entry[],
  completeFrom: Day | null,
  today: Day,
): Spending | null {
  const paid = entries.filter(({ cost, day }) => cost !== null && cost > 0 && day <= today);
  const first = paid.map(({ day }) => day).toSorted()[0];
  if (first === undefined) return null;
  const periods = (periodOf: (day: Day) => number) =>
    range(
      Math.max(periodOf(first), completeFrom === null ? 0 : periodOf(completeFrom) + 1),
      periodOf(today),
    );
  const months = periods(monthOf);
  const unit = months.length <= MOST_MONTHS ? 'month' : 'year';
  const told = unit === 'month' ? months : periods(yearOf).slice(-MOST_YEARS);
  const bars = barsOf(paid, told, unit);
  return bars.some((bar) => totalOf(bar) > 0) ? { unit, bars } : null;
}

function barsOf(paid: Entry[], periods: number[], unit: Spending['unit']): Bar[] {
  const periodOf = unit === 'month' ? monthOf : yearOf;
  return periods.map((period) => ({
    ...namesOf(period, unit),
    values: (['oil-change', 'repair'] as const).map((kind) =>
      dollars(paid.filter((entry) => entry.kind === kind && periodOf(entry.day) === period)),
    ),
  }));
}

/** Summed in cents: dollars with fractions would not add up. */
function dollars(paid: Entry[]): number {
  return paid.reduce((sum, { cost }) => sum + Math.round((cost ?? 0) * 100), 0) / 100;
}

function namesOf(period: number, unit: Spending['unit']) {
  if (unit === 'year') return { name: String(period), short: String(period) };
  const moment = Date.UTC(Math.floor(period / 12), period % 12, 1);
  return { name: MONTH.format(moment), short: SHORT_MONTH.format(moment) };
}

const yearOf = (day: Day) => Number(day.slice(0, 4));
/** Months since the year 0. */
const monthOf = (day: Day) => yearOf(day) * 12 + Number(day.slice(5, 7)) - 1;

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/**
 * What the odometer showed, each reading once and by its day, also where one is lower than an earlier one. Of those of
 * one day, which have no hour, the higher is the later.
 */
export function mileagePoints(readings: Reading[]): LinePoint[] {
  const points = new Map(
    readings.map(({ day, mileage }) => [
      `${day} ${mileage}`,
      { at: Date.parse(`${day}T00:00:00Z`), name: formatDay(day), value: mileage },
    ]),
  );
  return [...points.values()].toSorted(
    (one, other) => one.at - other.at || one.value - other.value,
  );
}
