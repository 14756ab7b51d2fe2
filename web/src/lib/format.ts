const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const WHOLE_DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});
const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' });
const TIME_OF_SCAN = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** US dollars as people write them: `$24.99`. */
export function formatMoney(dollars: number): string {
  return MONEY.format(dollars);
}

/** An amount in any currency (ISO 4217), in the words of a code where it is not dollars: `EUR 45.90`. */
export function formatPrice(amount: number, currency: string): string {
  try {
    return new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency,
      ...(currency !== 'USD' && { currencyDisplay: 'code' }),
    }).format(amount);
  } catch {
    // A code of a shape that no currency has.
    return `${amount.toFixed(2)} ${currency}`;
  }
}

/** Millionths of a dollar for people; an amount under a cent keeps its digits: `$0.0035`. */
export function formatMicroDollars(micros: number): string {
  const dollars = micros / 1_000_000;
  return dollars > 0 && dollars < 0.01 ? `$${dollars.toFixed(4)}` : formatMoney(dollars);
}

/** An estimate in dollars. Cents would claim to know more than it does: `$94`. */
export function formatEstimate(dollars: number): string {
  return WHOLE_DOLLARS.format(dollars);
}

const WHOLE_NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** `52,000 miles`. */
export function formatMiles(miles: number): string {
  return `${formatCount(miles)} ${miles === 1 ? 'mile' : 'miles'}`;
}

/** A whole number with its thousands apart: `52,000`. */
export function formatCount(count: number): string {
  return WHOLE_NUMBER.format(count);
}

/** `1 repair`, `12 repairs`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** A size in bytes, rounded down so that a limit never promises more than it allows: `25 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return countOf(bytes, 'byte');
  const megabytes = Math.floor((bytes / 1024 / 1024) * 10) / 10;
  return megabytes >= 1 ? `${megabytes} MB` : `${Math.floor(bytes / 1024)} KB`;
}

/** A share between 0 and 1 as a whole percentage, never rounded to a certainty of 0 or 100. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.01) return '<1%';
  const percent = Math.round(share * 100);
  return `${share < 1 ? Math.min(percent, 99) : percent}%`;
}

/** When a scan was made, or 'Recently' where the time is missing or unreadable. */
export function formatScanTime(isoTime: string | null | undefined): string {
  const time = parseTime(isoTime);
  return time === null ? 'Recently' : TIME_OF_SCAN.format(time);
}

export function formatDate(isoTime: string | null | undefined): string {
  const time = parseTime(isoTime);
  return time === null ? 'N/A' : DATE.format(time);
}

const DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/;

function parseTime(isoTime: string | null | undefined): Date | null {
  if (!isoTime) return null;
  // A day alone would be read as midnight in Greenwich, which is the day before in America.
  const time = new Date(DAY_ALONE.test(isoTime) ? `${isoTime}T00:00:00` : isoTime);
  return Number.isNaN(time.getTime()) ? null : time;
}

type NamedVehicle = { year: number; make: string; model: string };

/** `2015 Honda Civic`. */
export function vehicleName({ year, make, model }: NamedVehicle): string {
  return isolated(`${year} ${make} ${model}`);
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufefc]/;

/** A name that is written from right to left, so that it turns nothing around it (Unicode's FSI and PDI). */
function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}
