import type { Schemas } from '@/api/client';
import { paths } from '@/config/paths';

export type BillingInterval = 'month' | 'year';

export const BILLING: Record<BillingInterval, string> = { month: 'Monthly', year: 'Annual' };

export type Plan = {
  name: 'Basic' | 'Pro' | 'Business';
  monthlyCents: number;
  summary: string;
  features: string[];
  popular?: boolean;
};

/**
 * The plan cards of specification 2, sections 2 and 3. They are here and not read from `GET /api/plans`, so that they
 * stand at once; a test compares them with what the server answers.
 */
export const PLANS: Plan[] = [
  {
    name: 'Basic',
    monthlyCents: 0,
    summary: 'To see what it does',
    features: [
      '2 lifetime scans',
      'Basic part identification',
      'View supplier prices',
      'Scan history',
      'Mobile camera support',
    ],
  },
  {
    name: 'Pro',
    monthlyCents: 499,
    summary: 'For people who fix their own cars',
    features: [
      'Unlimited scans',
      'Full scan history',
      'Priority support',
      'Part compatibility checker',
    ],
    popular: true,
  },
  {
    name: 'Business',
    monthlyCents: 1499,
    summary: 'For shops with more than one person',
    features: [
      'Everything in Pro',
      'Multi-user accounts',
      'Custom supplier integration',
      'API access',
      'Dedicated support',
    ],
  },
];

/** A year costs ten months (specification 2, section 9). */
export function priceCents(monthlyCents: number, interval: BillingInterval): number {
  return interval === 'month' ? monthlyCents : monthlyCents * 10;
}

/** The checkout with what was chosen (specification 2, section 2). */
export function subscribeHref({ name, monthlyCents }: Plan, interval: BillingInterval): string {
  const choice = new URLSearchParams({
    plan: name.toLowerCase(),
    price: (priceCents(monthlyCents, interval) / 100).toFixed(2),
    interval,
  });
  return `${paths.subscribe}?${choice.toString()}`;
}

/** The checkout of a plan that was ordered, to pay what is due for it; null where that is not known. */
export function payHref({
  plan,
  interval,
}: {
  plan: string | null;
  interval: BillingInterval | null;
}): string | null {
  const paid = PLANS.find(({ name, monthlyCents }) => name === plan && monthlyCents > 0);
  return paid === undefined || interval === null ? null : subscribeHref(paid, interval);
}

/** What a status says is paid for each interval; null without a paid plan. */
export function paidCents({
  paidPlan,
  interval,
}: Pick<Schemas['SubscriptionStatus'], 'paidPlan' | 'interval'>): number | null {
  const monthlyCents = PLANS.find(({ name }) => name === paidPlan)?.monthlyCents ?? 0;
  return monthlyCents === 0 || interval === null ? null : priceCents(monthlyCents, interval);
}

/** Whether a plan of this name includes less than another one. */
export function isLesserPlan(name: string, other: string): boolean {
  const cents = (of: string) => PLANS.find((plan) => plan.name === of)?.monthlyCents ?? 0;
  return cents(name) < cents(other);
}

export function yearlySavingCents(monthlyCents: number): number {
  return monthlyCents * 12 - priceCents(monthlyCents, 'year');
}
