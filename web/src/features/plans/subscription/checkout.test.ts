import { describe, expect, it } from 'vitest';
import { ApiError } from '@/api/api-error';
import {
  choiceOf,
  failureOf,
  isForSale,
  nextCheckout,
  startOf,
  type Checkout,
  type CheckoutEvent,
} from '@/features/plans/subscription/checkout';

const run = (...events: CheckoutEvent[]): Checkout => events.reduce(nextCheckout, startOf(false));
const created: CheckoutEvent = { type: 'created', clientSecret: 'secret' };
const refusal = (status: number, detail: string) =>
  new ApiError(status, '', 'code', detail, null, JSON.stringify({ detail }));

describe('the choice in the address', () => {
  it.each([
    ['', { plan: 'pro', price: '4.99', interval: 'month' }],
    ['plan=business', { plan: 'business', price: '14.99', interval: 'month' }],
    ['plan=pro&interval=year', { plan: 'pro', price: '49.90', interval: 'year' }],
    [
      'plan=Business&price=1&interval=year',
      { plan: 'business', price: '149.90', interval: 'year' },
    ],
    ['plan=gold&interval=week', { plan: 'pro', price: '4.99', interval: 'month' }],
  ])('%s', (query, choice) => {
    expect(choiceOf(new URLSearchParams(query))).toEqual(choice);
  });

  it.each(['', 'free', '-4.99', '1e400', '0.50', '999999'])(
    'has the price of the plan and not "%s"',
    (price) => {
      expect(choiceOf(new URLSearchParams({ price })).price).toBe('4.99');
    },
  );
});

it('goes from the secret by the card form to paid', () => {
  expect(run(created)).toEqual({ step: 'card', clientSecret: 'secret', paying: false });
  expect(run(created, { type: 'pay' })).toMatchObject({ step: 'card', paying: true });
  expect(run(created, { type: 'pay' }, { type: 'paid' })).toEqual({ step: 'paid' });
});

it('changes a running subscription only after a yes, and then without a card', () => {
  const asked = startOf(true);
  expect(nextCheckout(asked, created)).toBe(asked);
  const creating = nextCheckout(asked, { type: 'confirmed' });
  expect(creating).toEqual({ step: 'creating' });
  const settled: CheckoutEvent = { type: 'created', clientSecret: null, settled: true };
  expect(nextCheckout(creating, settled)).toEqual({ step: 'paid' });
});

it('lets a declined card try again', () => {
  expect(run(created, { type: 'pay' }, { type: 'declined' })).toMatchObject({ paying: false });
});

it.each([null, undefined, ''])('fails without a secret: %s', (clientSecret) => {
  expect(run({ type: 'created', clientSecret })).toEqual({
    step: 'failed',
    failure: {
      title: 'Subscription Error',
      description: 'Failed to initialize subscription. Please try again.',
      reason: 'No client secret received',
    },
  });
});

it('fails when the card form does not come', () => {
  expect(run(created, { type: 'form-missing' })).toMatchObject({ step: 'failed' });
});

it('orders once more for a secret that is expired or used up', () => {
  const stale: CheckoutEvent = { type: 'secret-stale' };
  expect(run(created, stale)).toMatchObject({ step: 'creating' });
  expect(run(created, stale, created)).toMatchObject({ step: 'card', paying: false });
  expect(run(created, { type: 'pay' }, stale, created)).toMatchObject({ paying: false });
  expect(run(created, stale, created, stale)).toMatchObject({
    step: 'failed',
    failure: { reason: 'The payment has expired.' },
  });
  expect(run(stale)).toEqual({ step: 'creating' });
});

it('ignores what comes at the wrong time', () => {
  const paid = run(created, { type: 'pay' }, { type: 'paid' });
  const late: CheckoutEvent[] = [
    created,
    { type: 'refused', error: new Error('late') },
    { type: 'declined' },
    { type: 'pay' },
    { type: 'form-missing' },
  ];
  for (const event of late) expect(nextCheckout(paid, event)).toBe(paid);
  expect(run(created, { type: 'paid' })).toMatchObject({ step: 'card' });
  expect(run({ type: 'pay' })).toEqual({ step: 'creating' });
});

it.each([
  [refusal(503, 'Payments are temporarily unavailable.'), 'Plan Unavailable'],
  [refusal(400, 'This price is Inactive.'), 'Plan Unavailable'],
  [refusal(409, 'You already have this plan.'), 'Nothing to Pay'],
  [refusal(500, 'Broken.'), 'Subscription Error'],
  [new Error('temporarily unavailable'), 'Subscription Error'],
])('%s is %s', (error, title) => {
  expect(failureOf(error).title).toBe(title);
});

it('has the reason of the server, else a sentence of its own', () => {
  expect(failureOf(refusal(500, 'Broken.')).reason).toBe('Broken.');
  expect(failureOf(new Error('x')).reason).toBe('Failed to create subscription');
});

it('sells no other plan than the one that is named', () => {
  for (const plan of [null, '', 'pro', 'Business']) expect(isForSale(plan)).toBe(true);
  for (const plan of ['basic', 'proo', 'free']) expect(isForSale(plan)).toBe(false);
});
