import type { Schemas } from '@/api/client';

/** A limit of this value means that scans are not counted (specification 1, section 9). */
export const UNLIMITED = 999;
/** Scans left at which the card warns (section 9). */
const ALMOST_AT_LIMIT = 1;

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

/** Whether there is a plan of one's own that is paid. */
export function isInForce({ paidPlan, status }: Schemas['SubscriptionStatus']): boolean {
  return paidPlan !== null && status !== 'past_due';
}

/** Whether a subscription waits for a payment and gives no plan until then. */
export function isUnpaid({ status }: Schemas['SubscriptionStatus']): boolean {
  return status === 'incomplete' || status === 'unpaid' || status === 'paused';
}
