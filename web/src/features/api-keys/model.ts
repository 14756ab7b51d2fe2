import type { Schemas } from '@/api/client';

export type Scope = Schemas['ApiKey']['scopes'][number];

/** What a key may open, in the order that the form asks. */
export const SCOPES: readonly { scope: Scope; label: string }[] = [
  { scope: 'scan', label: 'Identify photographs and read scans' },
  { scope: 'catalog', label: 'Read parts and suppliers' },
  { scope: 'garage-read', label: 'Read vehicles, records and reminders' },
  { scope: 'garage-write', label: 'Change vehicles and records, delete scans' },
];

/** How long a key may open anything; null for a key without an end. */
export const LIFETIMES_DAYS = { '30': 30, '90': 90, '365': 365, never: null } as const;
export type Lifetime = keyof typeof LIFETIMES_DAYS;

export function expiryOf(lifetime: Lifetime, now: Date): string | null {
  const days = LIFETIMES_DAYS[lifetime];
  return days === null ? null : new Date(now.getTime() + days * 86_400_000).toISOString();
}

/** Why a key cannot be made like this; null when it can. */
export function keyRefusal(name: string, scopes: readonly Scope[]): string | null {
  if (name.trim() === '') return 'Name the key, so that you know it later.';
  return scopes.length === 0 ? 'Choose at least one thing that the key opens.' : null;
}

export type DayUsage = { day: string; scans: number; costMicros: number };

/** The rows of each day together, the newest day first. */
export function usageByDay(rows: readonly Schemas['UsageRow'][]): DayUsage[] {
  const days = new Map<string, DayUsage>();
  for (const { day, scans, costMicros } of rows) {
    const sum = days.get(day) ?? { day, scans: 0, costMicros: 0 };
    days.set(day, { day, scans: sum.scans + scans, costMicros: sum.costMicros + costMicros });
  }
  return [...days.values()].sort((one, other) => other.day.localeCompare(one.day));
}
