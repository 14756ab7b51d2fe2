import { paths } from '@/config/paths';

export type BillingInterval = 'month' | 'year';

export type Plan = {
  name: 'Basic' | 'Pro' | 'Business';
  monthlyCents: number;
  summary: string;
  features: string[];
  popular?: boolean;
};

/** The plan cards of specification 2, sections 2 and 3. */
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

export function yearlySavingCents(monthlyCents: number): number {
  return monthlyCents * 12 - priceCents(monthlyCents, 'year');
}
