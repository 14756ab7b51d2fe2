import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import type { Bar } from '@/components/charts/model';
import { text } from '@/lib/form-schema';
import { addDays, daysBetween, formatDay, type Day } from '@/lib/dates';

type Scope = Schemas['ApiKey']['scopes'][number];

/** What a key may open, in the order that the form asks. */
export const SCOPES: readonly { scope: Scope; label: string }[] = [
  { scope: 'scan', label: 'Identify photographs and read scans' },
  {
    scope: 'catalog',
    label: 'Read and change parts, price lists and taught parts; read suppliers',
  },
  { scope: 'garage-read', label: 'Read vehicles, records and reminders' },
  { scope: 'garage-write', label: 'Change vehicles and records, delete scans' },
  { scope: 'events', label: 'Receive events of scans, batches and reminders; manage webhooks' },
];

/** How long a key may open anything; null for a key without an end. */
export const LIFETIMES_DAYS = { '30': 30, '90': 90, '365': 365, never: null } as const;
type Lifetime = keyof typeof LIFETIMES_DAYS;

type KeyForm = { name: string; scopes: Scope[]; lifetime: Lifetime };

export const EMPTY_KEY: KeyForm = { name: '', scopes: ['scan'], lifetime: '365' };

/** Where this browser keeps the form of a key that waits for somebody to sign in. */
export const API_KEY_DRAFT = 'draft.api-key';

export function expiryOf(lifetime: Lifetime, now: Date): string | null {
  const days = LIFETIMES_DAYS[lifetime];
  return days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString();
}

export const keySchema = z.pipe(
  z.object({
    name: text('Name the key, so that you know it later.'),
    scopes: z
      .array(z.custom<Scope>())
      .check(z.minLength(1, 'Choose at least one thing that the key opens.')),
    lifetime: z.custom<Lifetime>(),
  }),
  z.transform(({ lifetime, ...key }) => ({ ...key, expiresAt: expiryOf(lifetime, new Date()) })),
) satisfies z.ZodMiniType<Schemas['ApiKeyForm'], KeyForm>;

const DAY_OF_MONTH = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** The bars of all days from the first to the last, those with nothing too. */
function barsOf({ from, to }: Schemas['Usage'], valuesOf: (day: Day) => number[]): Bar[] {
  return Array.from({ length: daysBetween(from, to) + 1 }, (_, index) => {
    const day = addDays(from, index);
    return {
      name: formatDay(day),
      short: DAY_OF_MONTH.format(new Date(`${day}T00:00:00Z`)),
      values: valuesOf(day),
    };
  });
}

function sumOf<Row extends { day: Day }>(rows: readonly Row[], day: Day, of: (row: Row) => number) {
  return rows.filter((row) => row.day === day).reduce((sum, row) => sum + of(row), 0);
}

/** The scans of each day: those in the browser, and where there are any, those by keys. */
export function scanBars(usage: Schemas['Usage']): { series: string[]; bars: Bar[] } {
  const web = usage.rows.filter(({ source }) => source === 'web');
  const keys = usage.rows.filter(({ source }) => source !== 'web');
  const scans = ({ scans }: Schemas['UsageRow']) => scans;
  return {
    series: keys.length > 0 ? ['In the browser', 'By API keys'] : ['Scans'],
    bars: barsOf(usage, (day) => [
      sumOf(web, day, scans),
      ...(keys.length > 0 ? [sumOf(keys, day, scans)] : []),
    ]),
  };
}

/** What each day cost, in millionths of a dollar: second opinions, and what the AI filled in. */
export function costBars(usage: Schemas['Usage']): { series: string[]; bars: Bar[] } {
  const cost = ({ costMicros }: { costMicros: number }) => costMicros;
  return {
    series: ['Second opinions', 'Guides, oil and fit'],
    bars: barsOf(usage, (day) => [sumOf(usage.rows, day, cost), sumOf(usage.fills, day, cost)]),
  };
}
