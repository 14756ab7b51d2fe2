import { ApiError, sentenceOf } from '@/api/api-error';
import { PLANS, priceCents, type BillingInterval } from '@/features/plans/subscription/plans';

/** What is to be bought, as the address of the checkout says it (specification 2, section 2). */
export type Choice = { plan: 'pro' | 'business'; price: string; interval: BillingInterval };

/**
 * Reads the choice; what the address leaves out is Pro, 4.99, by the month.
 *
 * The price is that of the plan: an address is typed and kept, and another price would be shown and then refused.
 */
export function choiceOf(query: URLSearchParams): Choice {
  const plan = query.get('plan')?.toLowerCase() === 'business' ? 'business' : 'pro';
  const interval = query.get('interval') === 'year' ? 'year' : 'month';
  const monthlyCents = PLANS.find(({ name }) => name.toLowerCase() === plan)?.monthlyCents ?? 0;
  return { plan, interval, price: (priceCents(monthlyCents, interval) / 100).toFixed(2) };
}

/** Whether a plan of this name can be bought; one that is not named is Pro. */
export function isForSale(plan: string | null): boolean {
  const name = plan?.toLowerCase() ?? '';
  return (
    name === '' || PLANS.some((sold) => sold.monthlyCents > 0 && sold.name.toLowerCase() === name)
  );
}

export function planTitle({ plan }: Pick<Choice, 'plan'>): string {
  return plan === 'business' ? 'Business' : 'Pro';
}

/** How long a failure stays on screen before the plans are shown (specification 2, section 9). */
export const FAILURE_PAUSE_MS = 3000;
/** How long the thanks stay on screen before the subscription is shown. */
export const SUCCESS_PAUSE_MS = 1000;

/** Where a checkout stands (specification 2, section 4). */
export type Checkout =
  /** A subscription that runs is changed only after a yes: its card is charged without a form. */
  | { step: 'confirm' }
  /** The server is asked for the secret with which the card is charged. */
  | { step: 'creating'; renewed?: true }
  /** The card form stands; `paying` while the provider is at work. */
  | { step: 'card'; clientSecret: string; paying: boolean; renewed?: true }
  /** Nothing can be bought now; the plans follow after a pause. */
  | { step: 'failed'; failure: Failure }
  | { step: 'paid' };

type Failure = {
  title: string;
  description: string;
  reason: string;
  /** The plan is there already: its page follows instead of the plans. */
  hasPlan?: true;
};

export type CheckoutEvent =
  | { type: 'confirmed' }
  /** The answer to the order; `settled` where the plan is paid for without another step. */
  | { type: 'created'; clientSecret: string | null | undefined; settled?: boolean }
  | { type: 'refused'; error: unknown }
  | { type: 'form-missing' }
  /** The secret is expired or used up. */
  | { type: 'secret-stale' }
  | { type: 'pay' }
  | { type: 'declined' }
  | { type: 'paid' };

export function startOf(hasSubscription: boolean): Checkout {
  return { step: hasSubscription ? 'confirm' : 'creating' };
}

/** Events that do not fit the step change nothing: an answer may come after the screen moved on. */
export function nextCheckout(checkout: Checkout, event: CheckoutEvent): Checkout {
  switch (event.type) {
    case 'confirmed':
      return checkout.step === 'confirm' ? { step: 'creating' } : checkout;
    case 'created':
      if (checkout.step !== 'creating') return checkout;
      if (!event.clientSecret && event.settled === true) return { step: 'paid' };
      return event.clientSecret
        ? { ...checkout, step: 'card', clientSecret: event.clientSecret, paying: false }
        : { step: 'failed', failure: notInitialised('No client secret received') };
    case 'refused':
      return checkout.step === 'creating'
        ? { step: 'failed', failure: failureOf(event.error) }
        : checkout;
    case 'form-missing':
      return checkout.step === 'card'
        ? { step: 'failed', failure: notInitialised('The card form could not be loaded.') }
        : checkout;
    case 'secret-stale':
      if (checkout.step !== 'card') return checkout;
      // A second stale secret in a row would not be the last one.
      return checkout.renewed === true
        ? { step: 'failed', failure: notInitialised('The payment has expired.') }
        : { step: 'creating', renewed: true };
    case 'pay':
      return checkout.step === 'card' ? { ...checkout, paying: true } : checkout;
    case 'declined':
      return checkout.step === 'card' ? { ...checkout, paying: false } : checkout;
    case 'paid':
      return checkout.step === 'card' && checkout.paying ? { step: 'paid' } : checkout;
  }
}

/** Neither a plan that is not for sale now nor one that is paid for already is a fault (specification 2, section 4). */
export function failureOf(error: unknown): Failure {
  const reason = sentenceOf(error, 'Failed to create subscription');
  if (error instanceof ApiError && /already have this plan/i.test(error.message)) {
    return { title: 'Nothing to Pay', description: reason, reason, hasPlan: true };
  }
  const unavailable =
    error instanceof ApiError && /temporarily unavailable|inactive/i.test(error.message);
  return unavailable
    ? {
        title: 'Plan Unavailable',
        description:
          'This subscription plan is being updated. Please contact support or try again later.',
        reason,
      }
    : notInitialised(reason);
}

function notInitialised(reason: string): Failure {
  return {
    title: 'Subscription Error',
    description: 'Failed to initialize subscription. Please try again.',
    reason,
  };
}
