import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { addDays, formatDay, type Day } from '@/lib/dates';
import { countOf, formatMiles } from '@/lib/format';
import {
  isFilled,
  isWholeNumber,
  optionalAmount,
  optionalText,
  optionalWholeNumber,
  rule,
  text,
  textThat,
  wholeNumber,
} from '@/lib/form-schema';

type Item = Schemas['MaintenanceItem'];

/** The item that oil changes are logged for. */
export const ENGINE_OIL = 'engine-oil';

type State = { word: string; tone: 'bad' | 'warn' | 'good' | 'outline' | 'neutral' };

/** The states, the most urgent first. */
const STATES: Record<string, State> = {
  overdue: { word: 'Overdue', tone: 'bad' },
  due_today: { word: 'Due today', tone: 'warn' },
  due_soon: { word: 'Due soon', tone: 'warn' },
  later: { word: 'Later', tone: 'good' },
  snoozed: { word: 'Snoozed', tone: 'neutral' },
  unknown: { word: 'Never logged', tone: 'outline' },
  off: { word: 'Off', tone: 'outline' },
};

/** Of an item that was done: it is due by its miles alone, and how far the vehicle drives is not known. */
const BY_MILEAGE: State = { word: 'By mileage', tone: 'outline' };

export function stateOf({ state, lastDoneOn }: Item): State {
  if (state === 'unknown' && lastDoneOn !== null) return BY_MILEAGE;
  return STATES[state] ?? { word: state, tone: 'neutral' };
}

/** Items that are due on a day or at a mileage. The rest only says what could be reminded of. */
export function isDueSometime({ state, lastDoneOn }: Item): boolean {
  return state !== 'off' && (state !== 'unknown' || lastDoneOn !== null);
}

/** The most urgent first; of one state, the earlier day first. */
export function byUrgency(items: Item[]): Item[] {
  const order = Object.keys(STATES);
  return items.toSorted(
    (left, right) =>
      order.indexOf(left.state) - order.indexOf(right.state) ||
      (left.daysLeft ?? Infinity) - (right.daysLeft ?? Infinity) ||
      left.name.localeCompare(right.name),
  );
}

/** `Due Mar 05, 2025 or at 60,000 miles`; null where nothing is due yet. */
export function dueText(item: Item): string | null {
  const day = item.dueOn === null ? null : formatDay(item.dueOn);
  const miles = item.dueMileage === null ? null : `at ${formatMiles(item.dueMileage)}`;
  const due = [day, miles].filter((text) => text !== null);
  return due.length === 0 ? null : `Due ${due.join(' or ')}`;
}

/**
 * `60,000 miles reached` where the mileage is past and the day is not; null otherwise. The alert of an oil change goes by its
 * date alone (specification 1, section 4), so that its state does not say it.
 */
export function pastText(
  { state, dueMileage }: Item,
  odometerMileage: number | null,
): string | null {
  if (state !== 'later' && state !== 'due_soon') return null;
  if (dueMileage === null || odometerMileage === null || odometerMileage < dueMileage) return null;
  return `${formatMiles(dueMileage)} reached`;
}

/** `Every 6 months or 7,500 miles`; null without an interval. */
export function intervalText({ intervalMonths, intervalMiles }: Item): string | null {
  const parts = [
    intervalMonths === null ? null : countOf(intervalMonths, 'month'),
    intervalMiles === null ? null : formatMiles(intervalMiles),
  ].filter((text) => text !== null);
  return parts.length === 0 ? null : `Every ${parts.join(' or ')}`;
}

export function lastText({ lastDoneOn, lastDoneMileage }: Item): string | null {
  if (lastDoneOn === null) return null;
  const day = `Last on ${formatDay(lastDoneOn)}`;
  return lastDoneMileage === null ? day : `${day} at ${formatMiles(lastDoneMileage)}`;
}

/** The id of an item of one's own: `Wheel alignment` becomes `wheel-alignment`. */
export function itemIdOf(name: string, taken: string[]): string {
  const slug =
    name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 50)
      .replace(/^-+|-+$/g, '') || 'item';
  let id = slug;
  for (let turn = 2; taken.includes(id); turn += 1) id = `${slug}-${turn}`;
  return id;
}

type ItemForm = {
  name: string;
  intervalMonths: string;
  intervalMiles: string;
  lastDoneOn: string;
  lastDoneMileage: string;
};

export function formOfItem(item: Item | null): ItemForm {
  const own = item?.ownInterval === true ? item : null;
  return {
    name: item?.name ?? '',
    intervalMonths: textOf(own?.intervalMonths),
    intervalMiles: textOf(own?.intervalMiles),
    lastDoneOn: item?.lastDoneOn ?? '',
    lastDoneMileage: textOf(item?.lastDoneMileage),
  };
}

/** The server's words for what an odometer cannot show. */
const MILEAGE_NEEDED = 'Please enter the mileage as a whole number from 0 to 999,999.';

/** The request for an item; the last time of an oil change is what was logged, and is left alone. */
export const itemSchema = (item: Item | null) => {
  const isOwn = item?.scheduled !== true;
  const isOil = item?.item === ENGINE_OIL;
  return z.pipe(
    z
      .object({
        name: textThat(
          rule(
            (typed) => !isOwn || isFilled(typed),
            'Please name what is to be done, like Wheel alignment.',
          ),
        ),
        intervalMonths: optionalWholeNumber('Please enter the months as a whole number.'),
        intervalMiles: optionalWholeNumber('Please enter the miles as a whole number.'),
        lastDoneOn: optionalText,
        lastDoneMileage: optionalWholeNumber(MILEAGE_NEEDED),
      })
      .check(
        z.refine(
          ({ intervalMonths, intervalMiles }) =>
            !isOwn || intervalMonths !== null || intervalMiles !== null,
          {
            error: 'Please enter after how many months or miles it is due.',
            path: ['intervalMonths'],
          },
        ),
      ),
    z.transform(({ name, lastDoneOn, lastDoneMileage, ...intervals }) => ({
      ...intervals,
      name: isOwn ? name : null,
      lastDoneOn: isOil ? null : lastDoneOn,
      lastDoneMileage: isOil ? null : lastDoneMileage,
      enabled: item?.state !== 'off',
    })),
  ) satisfies z.ZodMiniType<Schemas['NewMaintenanceItem'], ItemForm>;
};

/** What an item is set to, so that turning it off or on changes nothing else. */
export function bodyOfItem(item: Item, enabled: boolean): Schemas['NewMaintenanceItem'] {
  const isOil = item.item === ENGINE_OIL;
  return {
    name: item.scheduled ? null : item.name,
    intervalMonths: item.ownInterval ? item.intervalMonths : null,
    intervalMiles: item.ownInterval ? item.intervalMiles : null,
    lastDoneOn: isOil ? null : item.lastDoneOn,
    lastDoneMileage: isOil ? null : item.lastDoneMileage,
    enabled,
  };
}

const mileage = wholeNumber(rule(isWholeNumber, MILEAGE_NEEDED));
/** A browser leaves a date empty as well where what was typed is no day. */
const date = text('Please choose the date.');

export const doneSchema = z.object({
  mileage,
  date,
  cost: optionalAmount,
  notes: optionalText,
}) satisfies z.ZodMiniType<Schemas['MaintenanceDone']>;

export const readingSchema = z.object({ mileage, date }) satisfies z.ZodMiniType<
  Schemas['NewReading']
>;

/** Days that people put things off by. */
export const SNOOZES = [
  { label: '1 week', days: 7 },
  { label: '2 weeks', days: 14 },
  { label: '1 month', days: 30 },
  { label: '3 months', days: 90 },
] as const;

export const snoozeSchema = (today: Day) =>
  z.object({ until: textThat(rule((day) => day > today, 'Please choose a day after today.')) });

/** The latest day until which an item may be put off. */
export function latestSnooze(today: Day): Day {
  return addDays(today, 365);
}

function textOf(value: number | null | undefined): string {
  return value == null ? '' : String(value);
}

/** Where this browser keeps the form of an item, or of a new one. */
export function itemDraftKey(
  vehicleId: string,
  item: Pick<Schemas['MaintenanceItem'], 'item'> | null,
): string {
  return `draft.item.${vehicleId}.${item?.item ?? 'new'}`;
}

/** Where this browser keeps a mileage that waits for somebody to sign in. */
export function odometerDraftKey(vehicleId: string): string {
  return `draft.odometer.${vehicleId}`;
}
