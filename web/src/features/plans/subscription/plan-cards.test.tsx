import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PlanCards } from '@/features/plans/subscription/components/plan-cards';
import { proPlan } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, settings } from '@/testing/server';

it('says once that payments are not set up, and still leads to the checkout', async () => {
  renderScreen(<PlanCards />);
  expect(await screen.findByText('Payments are not set up on this server')).toBeVisible();
  for (const plan of ['Pro', 'Business']) {
    const link = screen.getByRole('link', { name: `Choose ${plan}` });
    expect(link).toHaveAttribute(
      'href',
      expect.stringContaining(`/subscribe?plan=${plan.toLowerCase()}&`),
    );
    expect(link).toHaveAccessibleDescription(/Payments are not set up/);
  }
});

it('leads to the checkout with the chosen plan where payments are set up', async () => {
  answer('get', '/api/settings', { ...settings, payments: true });
  const { person } = renderScreen(<PlanCards />);
  await person.click(screen.getByRole('button', { name: 'Annual' }));
  expect(await screen.findByRole('link', { name: 'Choose Pro' })).toHaveAttribute(
    'href',
    '/subscribe?plan=pro&price=49.90&interval=year',
  );
  expect(screen.getByRole('link', { name: 'Choose Pro' })).not.toHaveAttribute('aria-describedby');
  expect(screen.queryByText(/Payments are not set up/)).not.toBeInTheDocument();
});

it('keeps the billing in view for the way back from a checkout', async () => {
  const { person, router } = renderScreen(<PlanCards />);
  await person.click(screen.getByRole('button', { name: 'Annual' }));
  expect(router.state.location.search).toBe('?interval=year');
  await router.navigate('/subscribe');
  await router.navigate(-1);
  expect(await screen.findByText('Save 17%')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Monthly' }));
  expect(router.state.location.search).toBe('');
  expect(screen.queryByText('Save 17%')).not.toBeInTheDocument();
});

it('offers the other billing of a plan that is paid for', async () => {
  answer('get', '/api/settings', { ...settings, payments: true });
  answer('get', '/api/subscription/status', proPlan);
  const { person } = renderScreen(<PlanCards planType="pro" />);
  expect(await screen.findByRole('link', { name: 'Manage Subscription' })).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Annual' }));
  await screen.findByRole('link', { name: 'Change to Annual Billing' });
  expect(hrefOf('Change to Annual Billing')).toBe('/subscribe?plan=pro&price=49.90&interval=year');
});

it('marks Pro as most popular also for somebody who has it', async () => {
  renderScreen(<PlanCards planType="pro" />);
  const pro = within(await screen.findByRole('region', { name: 'Pro plan' }));
  expect(pro.getByText('Your plan')).toBeVisible();
  expect(pro.getByText('Most popular')).toBeVisible();
});

it('lets a member who pays for Pro order the Business that their company has', async () => {
  answer('get', '/api/settings', { ...settings, payments: true });
  answer('get', '/api/subscription/status', { ...proPlan, plan: 'Business' });
  renderScreen(<PlanCards planType="business" />);
  await screen.findByRole('link', { name: 'Manage Subscription' });
  await waitFor(() => expect(hrefOf(/Business/)).toContain('plan=business'));
});

it('offers no other billing to somebody who does not pay', async () => {
  answer('get', '/api/settings', { ...settings, payments: true });
  answer('get', '/api/subscription/status', { ...proPlan, canManage: false });
  const { person, queryClient } = renderScreen(<PlanCards planType="pro" />);
  await person.click(screen.getByRole('button', { name: 'Annual' }));
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(await screen.findByRole('link', { name: 'Manage Subscription' })).toBeVisible();
});
