import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { keepAwaitedPlan } from '@/features/plans/subscription/awaited-plan';
import { ManageSubscription } from '@/features/plans/subscription/components/manage-subscription';
import { ResetScansButton } from '@/features/plans/subscription/components/reset-scans-button';
import { periodEndText } from '@/features/plans/subscription/account-texts';
import { freePlan, proPlan } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse } from '@/testing/server';

function open(status: typeof proPlan, justPaid = false) {
  answer('get', '/api/subscription/status', status);
  return renderScreen(<ManageSubscription justPaid={justPaid} />);
}

it('requests a cancellation after a question, and then says what happens', async () => {
  const sent = note('post', '/api/subscription/request-cancellation', {});
  const { person } = open(proPlan);
  expect(await screen.findByText('Unlimited')).toBeVisible();
  await person.click(await screen.findByRole('button', { name: 'Request Cancellation' }));
  expect(sent).not.toHaveBeenCalled();
  const question = screen.getByRole('alertdialog');
  await person.click(within(question).getByRole('button', { name: 'Request Cancellation' }));
  expect(await screen.findByText('Cancellation request sent')).toBeVisible();
  expect(screen.getByText(/We process it within 24 hours/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Request Cancellation' })).not.toBeInTheDocument();
});

it.each([
  ['The mail server is away.', 'The mail server is away.'],
  ['', 'Please try contacting support directly.'],
])('says that a request failed: %s', async (detail, shown) => {
  refuse('post', '/api/subscription/request-cancellation', { status: 503, detail });
  const { person } = open(proPlan);
  await person.click(await screen.findByRole('button', { name: 'Request Cancellation' }));
  await confirm(person, 'Request Cancellation');
  expect(await screen.findByText('Failed to send cancellation request')).toBeVisible();
  expect(screen.getByText(shown)).toBeVisible();
});

it('shows the end of a cancelled plan, and the way back', async () => {
  const reactivated = note('post', '/api/subscription/reactivate', {});
  const { person } = open({ ...proPlan, cancelAtPeriodEnd: true });
  expect(await screen.findByText(/will be cancelled on (Dec 31, 2026|Jan 1, 2027)/)).toBeVisible();
  expect(screen.getByText('Plan Ends')).toBeVisible();
  expect(screen.queryByText('Next Billing Date')).not.toBeInTheDocument();
  expect(hrefOf('contact support')).toBe('/contact');
  expect(screen.queryByRole('button', { name: 'Request Cancellation' })).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Reactivate Plan' }));
  expect(await screen.findByText('Plan reactivated')).toBeVisible();
  expect(reactivated).toHaveBeenCalledOnce();
});

it('says that a request of earlier is open', async () => {
  open({ ...proPlan, cancellationRequested: true });
  expect(await screen.findByText('Cancellation request sent')).toBeVisible();
});

it('takes a request back, and asks for none by the word Cancel alone', async () => {
  answer('post', '/api/subscription/request-cancellation', {
    id: 'request-1',
    requestedAt: '2026-11-25T09:00:00.000Z',
    message: 'Sent.',
  });
  const taken = note('delete', '/api/subscription/request-cancellation');
  const { person } = open(proPlan);
  await person.click(await screen.findByRole('button', { name: 'Request Cancellation' }));
  expect(screen.getByRole('button', { name: 'Keep Plan' })).toHaveFocus();
  await confirm(person, 'Request Cancellation');
  await person.click(await screen.findByRole('button', { name: 'Take the Request Back' }));
  expect(await screen.findByText('Request taken back')).toBeVisible();
  expect(taken).toHaveBeenCalledOnce();
  expect(await screen.findByRole('button', { name: 'Request Cancellation' })).toBeVisible();
});

it('says that a request could not be taken back', async () => {
  refuse('delete', '/api/subscription/request-cancellation', { status: 409, detail: '' });
  const { person } = open({ ...proPlan, cancellationRequested: true });
  await person.click(await screen.findByRole('button', { name: 'Take the Request Back' }));
  expect(await screen.findByText('The request was not taken back')).toBeVisible();
  expect(screen.getByText('Please try contacting support directly.')).toBeVisible();
});

it('offers no cancellation of a plan that the account does not pay for', async () => {
  open({ ...proPlan, canManage: false, canCancel: false });
  expect(await screen.findByText(/There is nothing to cancel/)).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Request Cancellation' })).not.toBeInTheDocument();
});

it('offers the cancellation of a subscription that is not paid and gives no plan', async () => {
  open({ ...freePlan, status: 'unpaid', canCancel: true, currentPeriodEnd: 1_798_675_200 });
  expect(await screen.findByRole('button', { name: 'Request Cancellation' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'View Pricing Plans' })).toBeVisible();
  // It is billed on no date before it is paid.
  expect(screen.getByText('N/A')).toBeVisible();
});

it('thanks for a payment', async () => {
  open(proPlan, true);
  expect(await screen.findByText('Payment successful!')).toBeVisible();
  expect(
    screen.getByText("Your subscription has been activated. Welcome to Partsight's Pro plan!"),
  ).toBeVisible();
});

it.each([
  ['a free plan', freePlan],
  ['a renewal that is not paid', { ...proPlan, status: 'past_due' } as const],
])('thanks nobody for a payment that is not confirmed: %s', async (_, status) => {
  open(status, true);
  expect(await screen.findByText('Waiting for your payment to be confirmed')).toBeVisible();
  expect(screen.queryByText('Payment successful!')).not.toBeInTheDocument();
});

it('does not say unpaid while the payment is on its way, also after a reload', async () => {
  const unpaid = {
    ...freePlan,
    status: 'incomplete',
    ordered: { plan: 'Pro', interval: 'month' },
  } as const;
  keepAwaitedPlan({ plan: 'pro' }, false);
  for (const justPaid of [true, false]) {
    const { unmount } = open(unpaid, justPaid);
    expect(await screen.findByText('Waiting for your payment to be confirmed')).toBeVisible();
    expect(screen.queryByText('Pro, monthly, is not paid')).not.toBeInTheDocument();
    unmount();
  }
  const { unmount } = open(proPlan);
  expect(await screen.findByText('Payment successful!')).toBeVisible();
  unmount();
  open(unpaid);
  expect(await screen.findByText('Pro, monthly, is not paid')).toBeVisible();
  expect(screen.queryByText('Waiting for your payment to be confirmed')).not.toBeInTheDocument();
});

it('says that the plan goes on after the payment of a renewal, and welcomes nobody', async () => {
  keepAwaitedPlan({ plan: 'pro' }, true);
  const waiting = open({ ...proPlan, status: 'past_due' }, true);
  const awaited = await screen.findByText(/Your plan goes on as soon as the payment provider/);
  expect(awaited).toBeVisible();
  expect(screen.queryByText(/Your plan changes/)).not.toBeInTheDocument();
  waiting.unmount();
  open(proPlan, true);
  expect(
    await screen.findByText('Your payment went through. Your Pro plan goes on.'),
  ).toBeVisible();
  expect(screen.queryByText(/Welcome/)).not.toBeInTheDocument();
});

it('waits for no payment that this tab did not send', async () => {
  const { unmount } = open(freePlan, true);
  expect(await screen.findByText('Waiting for your payment to be confirmed')).toBeVisible();
  unmount();
  open(freePlan);
  expect(await screen.findByText('Current Plan')).toBeVisible();
  expect(screen.queryByText('Waiting for your payment to be confirmed')).not.toBeInTheDocument();
});

it('welcomes nobody to the plan from before while another one is being paid for', async () => {
  keepAwaitedPlan({ plan: 'business' }, false);
  open(proPlan, true);
  expect(await screen.findByText('Waiting for your payment to be confirmed')).toBeVisible();
  expect(screen.queryByText('Payment successful!')).not.toBeInTheDocument();
});

it.each(['Pro', 'Business'] as const)(
  'welcomes to the plan that was paid for: %s',
  async (paidPlan) => {
    keepAwaitedPlan({ plan: paidPlan === 'Pro' ? 'pro' : 'business' }, false);
    open({ ...proPlan, plan: 'Business', paidPlan }, true);
    expect(await screen.findByText(new RegExp(`Partsight's ${paidPlan} plan!`))).toBeVisible();
  },
);

it('thanks nobody for a plan that a company or the settings give', async () => {
  open({ ...freePlan, plan: 'Business', scansRemaining: null }, true);
  expect(await screen.findByText('Waiting for your payment to be confirmed')).toBeVisible();
});

it('says who pays for what where a company gives a greater plan', async () => {
  open({ ...proPlan, plan: 'Business' });
  expect(await screen.findByText(/You pay for Pro yourself\. Business comes from/)).toBeVisible();
});

it('leads to the payment of a renewal that did not go through', async () => {
  open({ ...proPlan, status: 'past_due', interval: 'year' });
  expect(await screen.findByText('The last payment did not go through')).toBeVisible();
  expect(hrefOf('Pay Now')).toBe('/subscribe?plan=pro&price=49.90&interval=year');
});

it.each(['incomplete', 'unpaid', 'paused'] as const)(
  'says how to pay for a subscription that is %s',
  async (status) => {
    open({ ...freePlan, status, ordered: { plan: 'Pro', interval: 'year' } });
    expect(await screen.findByText('Pro, annual, is not paid')).toBeVisible();
    expect(hrefOf('Pay for Pro')).toBe('/subscribe?plan=pro&price=49.90&interval=year');
    expect(hrefOf('View Pricing Plans')).toBe('/pricing');
  },
);

describe('the end of a period', () => {
  const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }).format(1_700_000_000_000);
  it.each([
    ['unix seconds', 1_700_000_000, day],
    ['unix milliseconds', 1_700_000_000_000, day],
    ['a date', '2023-11-14T22:13:20Z', day],
    ['a day alone, whatever the time zone', '2023-11-14', 'Nov 14, 2023'],
    ['nothing', null, 'N/A'],
    ['no date', 'soon', 'N/A'],
    ['no number', Number.NaN, 'N/A'],
  ])('from %s', (_kind, end, text) => {
    expect(periodEndText(end)).toBe(text);
  });
});

describe('Activate Unlimited Scans', () => {
  it.each([
    ['basic', 2],
    ['pro', 999],
  ] as const)('is not offered on %s with a limit of %d', async (planType, limit) => {
    answer('get', '/api/scans/limits', { limit, used: 0, remaining: limit });
    const { queryClient } = renderScreen(<ResetScansButton planType={planType} />);
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});
