import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { ManageSubscriptionRoute } from '@/app/routes/manage-subscription';
import { ada, proPlan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer } from '@/testing/server';

const NEWS = [
  ['?success=true&redirect_status=failed', 'Payment Failed'],
  ['?success=true&redirect_status=succeeded', 'Payment successful!'],
  ['', null],
] as const;

it.each(NEWS)('says of the address %s once what came of a payment: %s', async (query, title) => {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/subscription/status', proPlan);
  const { router } = renderScreen(<ManageSubscriptionRoute />, `/manage-subscription${query}`);
  expect(await screen.findByRole('region', { name: 'Current Plan' })).toBeVisible();
  if (title !== null) expect(await screen.findByText(title)).toBeVisible();
  for (const [, said] of NEWS) {
    if (said !== null && said !== title) expect(screen.queryByText(said)).not.toBeInTheDocument();
  }
  await waitFor(() => expect(router.state.location.search).toBe(''));
});
