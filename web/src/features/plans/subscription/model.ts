import type { Schemas } from '@/api/client';
import { formatDate } from '@/lib/format';

/** A limit of this value means that scans are not counted (specification 1, section 9). */
export const UNLIMITED = 999;
/** Scans left at which the card warns (section 9). */
const ALMOST_AT_LIMIT = 1;
/** What the account page says when no figures arrive (specification 2, section 9). */
const FALLBACK_REMAINING = 5;

export type Allowance =
  | { kind: 'unlimited' }
  | { kind: 'metered'; used: number; limit: number; remaining: number; almostUsedUp: boolean }
  | { kind: 'unknown' };

type Limits = Schemas['ScanLimits'] | null | undefined;
type Status = Schemas['SubscriptionStatus'] | null | undefined;

/** The allowance from whichever of the two reads returned something; the limits are the finer one. */
export function allowanceOf(limits: Limits, status: Status): Allowance {
  if (limits) {
    return limits.limit === UNLIMITED ? { kind: 'unlimited' } : metered(limits.used, limits.limit);
  }
  if (!status) return { kind: 'unknown' };
  if (status.plan !== 'Free') return { kind: 'unlimited' };
  return status.scansRemaining == null
    ? { kind: 'unknown' }
    : metered(BASIC_LIMIT - status.scansRemaining, BASIC_LIMIT);
}

/** Scans of the Basic plan, for when only the status has come, which states what is left. */
const BASIC_LIMIT = 2;

function metered(used: number, limit: number): Allowance {
  const remaining = Math.max(0, limit - used);
  return { kind: 'metered', used, limit, remaining, almostUsedUp: remaining <= ALMOST_AT_LIMIT };
}

/** The scans line of the account page. */
export function remainingText(allowance: Allowance): string {
  if (allowance.kind === 'unlimited') return 'Unlimited';
  return `${allowance.kind === 'metered' ? allowance.remaining : FALLBACK_REMAINING} remaining`;
}

/** Whether there is a paid plan, with no payment open. */
export function isInForce({ plan, status }: Schemas['SubscriptionStatus']): boolean {
  return plan !== 'Free' && status !== 'past_due';
}

/** Whether a subscription waits for a payment and gives no plan until then. */
export function isUnpaid({ status }: Schemas['SubscriptionStatus']): boolean {
  return status === 'incomplete' || status === 'unpaid' || status === 'paused';
}

/** Below this a unix time is in seconds, from it on in milliseconds (specification 2, section 9). */
const FIRST_MILLISECONDS = 1e10;

/** The end of a period as a local date; it may be unix seconds, milliseconds or a date. */
export function periodEndText(end: number | string | null | undefined): string {
  if (typeof end !== 'number') return formatDate(end);
  const time = new Date(Math.abs(end) < FIRST_MILLISECONDS ? end * 1000 : end);
  return Number.isNaN(time.getTime()) ? 'N/A' : formatDate(time.toISOString());
}
