import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import type { Day } from '@/lib/dates';
import { formatMiles } from '@/lib/format';
import { daysBetween, formatDay } from '@/lib/dates';
import {
  isFilled,
  isWholeNumber,
  optionalAmount,
  optionalText,
  rule,
  text,
  wholeNumber,
} from '@/lib/form-schema';
import { parseWholeNumber } from '@/lib/numbers';

type OilChange = Schemas['OilChange'];

/** Highest mileage that is taken (specification 1, section 9). */
const MAX_MILEAGE = 999_999;
/** Longest oil type, oil brand and filter brand that the server takes, in characters. */
export const TEXT_MAX_LENGTH = 80;
/** Days before the due day from which on it is counted down (section 9). */
const DUE_SOON_DAYS = 30;

type OilChangeForm = Record<
  | 'vehicleId'
  | 'mileage'
  | 'changeDate'
  | 'oilType'
  | 'oilBrand'
  | 'filterBrand'
  | 'cost'
  | 'notes',
  string
>;

export function emptyOilChange(vehicleId: string, today: Day): OilChangeForm {
  return {
    vehicleId,
    mileage: '',
    changeDate: today,
    oilType: '',
    oilBrand: '',
    filterBrand: '',
    cost: '',
    notes: '',
  };
}

export function formOfOilChange(change: OilChange): OilChangeForm {
  return {
    vehicleId: change.vehicleId,
    mileage: String(change.mileage),
    changeDate: change.changeDate,
    oilType: change.oilType ?? '',
    oilBrand: change.oilBrand ?? '',
    filterBrand: change.filterBrand ?? '',
    cost: change.cost == null ? '' : change.cost.toFixed(2),
    notes: change.notes ?? '',
  };
}

const MISSING = ['Please select a vehicle and enter the mileage.', 'Missing information'] as const;

/** The request (specification 1, section 5). */
export const oilChangeSchema = z.object({
  vehicleId: text(...MISSING),
  mileage: wholeNumber(
    rule(isFilled, ...MISSING),
    rule(
      isWholeNumber,
      'Please enter the mileage as a whole number from 0 to 999,999.',
      'Invalid mileage',
    ),
    rule(
      (typed) => Number(parseWholeNumber(typed)) <= MAX_MILEAGE,
      'Please enter a mileage under 999,999 miles.',
      'Invalid mileage',
    ),
  ),
  // A browser leaves it empty as well where what was typed is no day.
  changeDate: text('Please choose the date.', 'Missing information'),
  oilType: optionalText,
  oilBrand: optionalText,
  filterBrand: optionalText,
  cost: optionalAmount,
  notes: optionalText,
}) satisfies z.ZodMiniType<Schemas['NewOilChange'], OilChangeForm>;

/** What is recommended for one vehicle. */
type NextChange = {
  badge: string;
  tone: 'bad' | 'warn' | 'neutral';
  /** Its day or its miles are past. */
  isPast: boolean;
  /** `or in 5,000 miles` by the odometer, `57,000 miles reached` behind them; null where the interval has no miles. */
  distance: string | null;
  last: string | null;
};

/**
 * The recommendation from the due day and mileage (section 2). Null before the first change, and where the owner has
 * switched it off.
 *
 * Its badge goes by the day that counts, as in the maintenance schedule; miles that are past are said beside it.
 * The interval is 3 months and 5,000 miles unless the owner has set another. The miles count down with each later
 * reading of the odometer; without one they are those of the interval.
 */
export function nextChangeOf(
  item: Schemas['MaintenanceItem'],
  today: Day,
  odometerMileage: number | null,
): NextChange | null {
  if (item.state === 'off' || (item.dueOn === null && item.dueMileage === null)) return null;
  const { dueDate, dueMileage, lastDoneMileage } = item;
  const daysLeft = dueDate === null ? null : daysBetween(today, dueDate);
  const miles =
    dueMileage === null || lastDoneMileage === null
      ? null
      : { due: dueMileage, left: dueMileage - Math.max(lastDoneMileage, odometerMileage ?? 0) };
  return {
    ...badgeOf(dueDate, daysLeft),
    isPast: (daysLeft !== null && daysLeft < 0) || (miles !== null && miles.left <= 0),
    distance: miles === null ? null : distanceText(miles),
    last: lastDoneMileage === null ? null : `Last: ${formatMiles(lastDoneMileage)}`,
  };
}

function distanceText({ due, left }: { due: number; left: number }): string {
  return left > 0 ? `or in ${formatMiles(left)}` : `${formatMiles(due)} reached`;
}

type Badge = Pick<NextChange, 'badge' | 'tone'>;

function badgeOf(dueDate: Day | null, daysLeft: number | null): Badge {
  if (dueDate === null || daysLeft === null) return { badge: 'By mileage', tone: 'neutral' };
  if (daysLeft < 0) return { badge: 'Overdue', tone: 'bad' };
  if (daysLeft === 0) return { badge: 'Due today', tone: 'warn' };
  if (daysLeft <= DUE_SOON_DAYS) {
    return { badge: `Due in ${daysLeft} ${daysLeft === 1 ? 'day' : 'days'}`, tone: 'warn' };
  }
  return { badge: formatDay(dueDate), tone: 'neutral' };
}

/** The name of a record's vehicle among those of all, or 'Unknown Vehicle' (section 2). */
export function nameOfVehicle(names: Map<string, string>, id: string): string {
  return names.get(id) ?? 'Unknown Vehicle';
}

/** Where this browser keeps the form of an oil change, or of a new one. */
export function oilChangeDraftKey(record: Pick<Schemas['OilChange'], 'id'> | null): string {
  return `draft.oil-change.${record?.id ?? 'new'}`;
}
