import type { Schemas } from '@/api/client';
import { planTitle, type Choice } from '@/features/plans/subscription/checkout';
import { isInForce } from '@/features/plans/subscription/model';
import { isLesserPlan } from '@/features/plans/subscription/plans';
import { readSession, writeSession } from '@/lib/session-storage';

/** Where this tab keeps the plan that is being paid for: the way back from the provider is a new page. */
const KEY = 'awaited-plan';

/** Where this tab keeps whether that plan is in force already. */
const RENEWAL_KEY = 'pays-renewal';

/** Keeps which plan is being paid for, and whether it is the renewal of one that is in force. */
export function keepAwaitedPlan(choice: Pick<Choice, 'plan'>, isRenewal: boolean): void {
  writeSession(KEY, planTitle(choice));
  writeSession(RENEWAL_KEY, isRenewal);
}

/** The plan that was last paid for in this tab; null where none was. */
export function awaitedPlan(): string | null {
  const kept = readSession(KEY);
  return typeof kept === 'string' ? kept : null;
}

/** Whether what was last paid for in this tab is a renewal. */
export function isRenewalPaid(): boolean {
  return readSession(RENEWAL_KEY) === true;
}

/** Where this tab keeps when a payment was sent that is not confirmed. */
const SENT_KEY = 'payment-sent-at';
/** How long a confirmation is waited for: after that the account says what it has. */
const LONGEST_WAIT_MS = 10 * 60_000;

/** Keeps that a payment was sent, so that a reload goes on waiting; `false` once it is confirmed or has failed. */
export function keepPaymentSent(sent: boolean): void {
  writeSession(SENT_KEY, sent ? Date.now() : null);
}

/** Whether this tab sent a payment a moment ago that was not confirmed when it was last looked at. */
export function isPaymentSent(): boolean {
  const at = readSession(SENT_KEY);
  return typeof at === 'number' && Math.abs(Date.now() - at) < LONGEST_WAIT_MS;
}

/** Whether what was paid for is there: until the payment is confirmed, the lesser plan from before is in force. */
export function hasCome(status: Schemas['SubscriptionStatus'], awaited: string | null): boolean {
  const { paidPlan } = status;
  return (
    isInForce(status) && !(paidPlan !== null && awaited !== null && isLesserPlan(paidPlan, awaited))
  );
}
