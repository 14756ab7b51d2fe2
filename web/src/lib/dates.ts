/**
 * Calendar days as the API writes them: `2025-03-05`. A day has no time zone; reading it as a
 * moment would show the day before to everybody west of Greenwich.
 */
export type Day = string;

const DAY_MS = 86_400_000;

const DAY_FORMAT = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `Mar 05, 2025` (specification 1, section 2), or the text itself where it is no day. */
export function formatDay(day: Day): string {
  const moment = momentOf(day);
  return moment === null ? day : DAY_FORMAT.format(moment);
}

/** The day it is where the reader is. */
export function today(now = new Date()): Day {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** Until midnight where the reader is, in ms. */
export function untilTomorrow(): number {
  return new Date().setHours(24, 0, 0, 0) - Date.now();
}

export function addDays(day: Day, days: number): Day {
  const moment = momentOf(day);
  return moment === null ? day : new Date(moment + days * DAY_MS).toISOString().slice(0, 10);
}

/** Days from `from` until `to`; negative when `to` is past. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round(((momentOf(to) ?? NaN) - (momentOf(from) ?? NaN)) / DAY_MS);
}

/** Midnight of the day in UTC, in ms. */
function momentOf(day: Day): number | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
  const moment = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(moment) ? null : moment;
}
