import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { remainingText } from '@/features/plans/subscription/account-texts';
import { AllowanceCard } from '@/features/plans/subscription/components/allowance-card';
import { allowanceOf } from '@/features/plans/subscription/model';
import { priceCents, yearlySavingCents } from '@/features/plans/subscription/plans';
import { freePlan } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

const signedOut = { status: 401, detail: 'Unauthorized' };

describe('AllowanceCard', () => {
  it('counts the scans of Basic', async () => {
    answer('get', '/api/scans/limits', { limit: 2, used: 0, remaining: 2 });
    answer('get', '/api/subscription/status', freePlan);
    renderScreen(<AllowanceCard />);
    expect(await screen.findByText('Scans used 0/2')).toBeVisible();
    expect(screen.getByLabelText('Scan allowance')).toHaveTextContent('2 scans left');
    expect(screen.queryByText('Almost at your limit!')).not.toBeInTheDocument();
    expect(hrefOf('Upgrade to Pro')).toBe('/subscribe');
  });

  it.each([
    [1, '1 scan left'],
    [2, '0 scans left'],
  ])('warns when %i of 2 scans are used: %s', async (used, left) => {
    answer('get', '/api/scans/limits', { limit: 2, used, remaining: 2 - used });
    answer('get', '/api/subscription/status', freePlan);
    renderScreen(<AllowanceCard />);
    expect(await screen.findByText('Almost at your limit!')).toBeVisible();
    expect(screen.getByLabelText('Scan allowance')).toHaveTextContent(left);
    expect(screen.getByRole('progressbar')).toHaveAttribute('aria-valuenow', String(used));
  });

  it('falls back when neither read returns anything', async () => {
    refuse('get', '/api/scans/limits', signedOut);
    refuse('get', '/api/subscription/status', { status: 500, detail: 'No.' });
    renderScreen(<AllowanceCard />);
    expect(await screen.findByText('Basic Plan - 2 lifetime scans')).toBeVisible();
    expect(hrefOf('Upgrade')).toBe('/pricing');
  });

  it('shows nothing on an unlimited plan', async () => {
    answer('get', '/api/scans/limits', { limit: 999, used: 7, remaining: 999 });
    answer('get', '/api/subscription/status', { ...freePlan, plan: 'Pro', scansRemaining: null });
    const { queryClient } = renderScreen(<AllowanceCard />);
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByLabelText('Scan allowance')).not.toBeInTheDocument();
  });
});

describe('allowanceOf', () => {
  it('takes the status where the limits are missing', () => {
    expect(allowanceOf(null, freePlan)).toMatchObject({
      kind: 'metered',
      used: 1,
      limit: 2,
      remaining: 1,
    });
    expect(allowanceOf(null, { ...freePlan, plan: 'Business' })).toEqual({ kind: 'unlimited' });
  });

  it('words the account page, with 5 remaining where nothing is known', () => {
    expect(remainingText(allowanceOf(null, null))).toBe('5 remaining');
    expect(remainingText(allowanceOf(null, freePlan))).toBe('1 remaining');
    expect(remainingText({ kind: 'unlimited' })).toBe('Unlimited');
  });
});

it('sells a year for ten months', () => {
  expect(priceCents(499, 'year')).toBe(4990);
  expect(yearlySavingCents(1499)).toBe(2998);
});
