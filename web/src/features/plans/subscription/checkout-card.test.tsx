import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { awaitedPlan, isRenewalPaid } from '@/features/plans/subscription/awaited-plan';
import { CheckoutCard } from '@/features/plans/subscription/components/checkout-card';
import type { Choice } from '@/features/plans/subscription/checkout';
import type { StripeWindow } from '@/features/plans/subscription/stripe';
import { freePlan } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, server } from '@/testing/server';

const business = {
  ...freePlan,
  plan: 'Business',
  paidPlan: 'Business',
  canManage: true,
  canCancel: true,
  interval: 'month',
} as const;
const ordered: Schemas['OrderedSubscription'] = {
  clientSecret: 'pi_1_secret_2',
  message: 'Confirm the payment.',
  plan: 'pro',
  interval: 'month',
  status: 'incomplete',
};
const choice = { plan: 'pro', price: '4.99', interval: 'month' } as const;

/** Stripe's script as far as we use it, in the place of the one that a browser fetches. */
const stripeWindow: StripeWindow = window;
const confirmPayment = vi.fn<() => Promise<{ error?: { message: string } }>>();
beforeEach(() => {
  stripeWindow.Stripe = vi.fn(() => ({
    confirmPayment,
    elements: () => ({
      create: () => ({
        mount: (place: HTMLElement) => {
          place.textContent = 'card fields';
        },
        unmount: () => undefined,
        on: (event: string, then: () => void) => {
          if (event === 'ready') then();
        },
      }),
    }),
  }));
});
afterEach(() => {
  delete stripeWindow.Stripe;
  confirmPayment.mockReset();
  vi.useRealTimers();
});

const open = (status = freePlan) =>
  renderScreen(<CheckoutCard choice={choice} status={status} publishableKey="pk_test_1" />);
const toPricing = (router: { state: { location: { pathname: string } } }) =>
  waitFor(() => expect(router.state.location.pathname).toBe('/pricing'));

it('orders, shows the card form with plan and price, pays, and opens the subscription', async () => {
  const sent = note('post', '/api/create-subscription', ordered);
  confirmPayment.mockResolvedValue({});
  const { person, router } = open();
  expect(screen.getByText('Setting up your subscription...')).toBeVisible();
  expect(await screen.findByRole('heading', { name: 'Subscribe to Partsight Pro' })).toBeVisible();
  expect(screen.getByText(/\$4\.99 per month/)).toBeVisible();
  await person.click(await screen.findByRole('button', { name: 'Pay $4.99' }));
  expect((await screen.findAllByText('Payment Successful')).length).toBeGreaterThan(0);
  expect(confirmPayment).toHaveBeenCalledWith(
    expect.objectContaining({
      confirmParams: {
        return_url: 'http://partsight.test/manage-subscription?success=true',
      },
    }),
  );
  await waitFor(() => expect(router.state.location.pathname).toBe('/manage-subscription'));
  expect(router.state.location.search).toBe('?success=true');
  expect(sent).toHaveBeenCalledExactlyOnceWith({ plan: 'pro', price: 4.99, interval: 'month' });
});

it('says that a payment failed where the script of the provider breaks', async () => {
  answer('post', '/api/create-subscription', ordered);
  confirmPayment.mockRejectedValue(new Error('IntegrationError'));
  const { person } = open();
  await person.click(await screen.findByRole('button', { name: 'Pay $4.99' }));
  expect(await screen.findByText('Payment Failed')).toBeVisible();
  expect(screen.getByText('The payment could not be sent. Please try again.')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
});

it.each([
  ['while the form loads', true],
  ['while it is paid', false],
])('orders anew for a payment that has expired %s', async (_, atLoad) => {
  const secrets: string[] = [];
  const stale = { error: { code: 'payment_intent_unexpected_state', message: 'Expired.' } };
  server.use(
    http.post('/api/create-subscription', () => {
      secrets.push(`secret-${secrets.length + 1}`);
      return HttpResponse.json({ ...ordered, clientSecret: secrets.at(-1) });
    }),
  );
  stripeWindow.Stripe = vi.fn(() => ({
    confirmPayment,
    elements: ({ clientSecret }: { clientSecret: string }) => ({
      create: () => ({
        mount: (place: HTMLElement) => {
          place.textContent = `card fields of ${clientSecret}`;
        },
        unmount: () => undefined,
        on: (event: string, then: (event?: object) => void) => {
          const fails = atLoad && clientSecret === 'secret-1';
          if (event === (fails ? 'loaderror' : 'ready')) setTimeout(then, 0, stale);
        },
      }),
    }),
  }));
  confirmPayment.mockResolvedValueOnce(atLoad ? {} : stale).mockResolvedValue({});
  const { person } = open();
  if (!atLoad) await person.click(await screen.findByRole('button', { name: 'Pay $4.99' }));
  expect(await screen.findByText('card fields of secret-2')).toBeVisible();
  expect(secrets).toHaveLength(2);
  await person.click(await screen.findByRole('button', { name: 'Pay $4.99' }));
  expect((await screen.findAllByText('Payment Successful')).length).toBeGreaterThan(0);
});

it.each([
  [
    'Plan Unavailable',
    'This subscription plan is being updated. Please contact support or try again later.',
    'Payments are temporarily unavailable.',
  ],
  [
    'Subscription Error',
    'Failed to initialize subscription. Please try again.',
    'The price is another one now.',
  ],
])('%s leads to the plans after three seconds', async (title, description, detail) => {
  refuse('post', '/api/create-subscription', { status: 503, code: 'unavailable', detail });
  const { router } = open();
  // The toast says what the specification says, the page why.
  expect(await screen.findByText(description)).toBeVisible();
  expect(screen.getAllByText(title)).toHaveLength(2);
  expect(screen.getByText(new RegExp(detail))).toBeVisible();
  expect(router.state.location.pathname).toBe('/');
  await toPricing(router);
  // Back does not come to the order again.
  expect(router.state.historyAction).toBe('REPLACE');
});

it('changes a subscription that runs only after a yes', async () => {
  const sent = note('post', '/api/subscription/change', {
    ...ordered,
    clientSecret: null,
    status: 'active',
  });
  const { person } = open(business);
  expect(screen.getByText(/in place of your Business plan/)).toBeVisible();
  await act(() => new Promise((wake) => setTimeout(wake, 50)));
  expect(sent).not.toHaveBeenCalled();
  await person.click(screen.getByRole('button', { name: 'Change to Pro' }));
  expect((await screen.findAllByText('Payment Successful')).length).toBeGreaterThan(0);
});

it('asks for the difference alone where a change has to be confirmed, and says what was paid for', async () => {
  answer('post', '/api/subscription/change', { ...ordered, plan: 'business' });
  confirmPayment.mockResolvedValue({});
  const { person } = openFor(
    { plan: 'business', price: '14.99', interval: 'month' },
    { ...business, plan: 'Pro', paidPlan: 'Pro' },
  );
  await person.click(screen.getByRole('button', { name: 'Change to Business' }));
  expect(await screen.findByText(/Only the difference is charged now/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Pay $14.99' })).not.toBeInTheDocument();
  await person.click(await screen.findByRole('button', { name: 'Pay the Difference' }));
  expect((await screen.findAllByText('Payment Successful')).length).toBeGreaterThan(0);
  expect(awaitedPlan()).toBe('Business');
});

it('sells nobody what they have', () => {
  open({
    ...freePlan,
    plan: 'Pro',
    paidPlan: 'Pro',
    canManage: true,
    canCancel: true,
    interval: 'month',
  });
  expect(screen.getByText('You have the Pro plan already')).toBeVisible();
});

const openFor = (to: Choice, status: typeof freePlan) =>
  renderScreen(<CheckoutCard choice={to} status={status} publishableKey="pk_test_1" />);

it('asks for the payment of a renewal that did not go through', async () => {
  const sent = note('post', '/api/create-subscription', { ...ordered, status: 'past_due' });
  const status = { ...business, plan: 'Pro', paidPlan: 'Pro', status: 'past_due' } as const;
  const { person } = openFor(choice, status);
  expect(await screen.findByRole('heading', { name: 'Pay for Partsight Pro' })).toBeVisible();
  expect(await screen.findByRole('button', { name: 'Pay $4.99' })).toBeEnabled();
  expect(sent).toHaveBeenCalledExactlyOnceWith({ plan: 'pro', price: 4.99, interval: 'month' });
  expect(isRenewalPaid()).toBe(false);
  confirmPayment.mockResolvedValue({});
  await person.click(screen.getByRole('button', { name: 'Pay $4.99' }));
  expect(await screen.findByText('Thank you. Your plan goes on.')).toBeVisible();
  expect(isRenewalPaid()).toBe(true);
});

it('changes no plan whose last payment is open', () => {
  openFor(choice, { ...business, status: 'past_due' });
  expect(screen.getByText(/Pay for your present plan first/)).toBeVisible();
  expect(hrefOf('Pay for Business')).toBe('/subscribe?plan=business&price=14.99&interval=month');
});

const CHARGED = /The difference is charged at once/;
const NOT_CHARGED = /Nothing is charged now/;
const PERHAPS_CHARGED = /Only if that is not enough, the rest is charged at once/;

it.each<[string, Choice, Partial<typeof freePlan>, RegExp]>([
  ['a cheaper plan', choice, {}, NOT_CHARGED],
  [
    'a dearer plan',
    { plan: 'business', price: '14.99', interval: 'month' },
    { plan: 'Pro', paidPlan: 'Pro' },
    CHARGED,
  ],
  [
    'a year',
    { plan: 'pro', price: '49.90', interval: 'year' },
    { plan: 'Pro', paidPlan: 'Pro' },
    CHARGED,
  ],
  [
    'a month in place of a year',
    choice,
    { plan: 'Pro', paidPlan: 'Pro', interval: 'year' },
    PERHAPS_CHARGED,
  ],
])('says what a change to %s costs at once', (_, to, from, text) => {
  openFor(to, { ...business, ...from });
  expect(screen.getByText(text)).toBeVisible();
});

it('says what a team loses with Business', () => {
  openFor(choice, business);
  expect(screen.getByText('Your team loses Business')).toBeVisible();
});

it('changes the billing of a plan that stays', () => {
  openFor(
    { plan: 'pro', price: '49.90', interval: 'year' },
    { ...business, plan: 'Pro', paidPlan: 'Pro' },
  );
  expect(screen.getByRole('heading', { name: 'Change Pro to Annual Billing' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Change to Annual Billing' })).toBeEnabled();
  expect(screen.queryByText('Your team loses Business')).not.toBeInTheDocument();
});

it('says that a plan which is set to end must be reactivated first, and orders nothing', async () => {
  const sent = note('post', '/api/subscription/change', ordered);
  open({ ...business, cancelAtPeriodEnd: true });
  expect(await screen.findByText('Your plan is set to end')).toBeVisible();
  expect(hrefOf('Manage Subscription')).toBe('/manage-subscription');
  expect(screen.queryByRole('button', { name: 'Change to Pro' })).not.toBeInTheDocument();
  expect(sent).not.toHaveBeenCalled();
});
