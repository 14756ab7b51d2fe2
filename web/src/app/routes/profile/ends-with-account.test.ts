import { expect, it } from 'vitest';
import { endsWithAccount } from '@/app/routes/profile/ends-with-account';

const company = { name: 'Garage', ownerId: 'user-1' };

it('says that a company and a plan of one’s own go with the account', () => {
  const [first, second] = endsWithAccount('user-1', company, { paidPlan: 'Pro', canCancel: true });
  expect(first).toContain('Your company Garage is deleted with it');
  expect(second).toBe('Your Pro plan ends at once, and what is left of its period with it.');
});

it('speaks of a subscription where it gives no plan', () => {
  expect(endsWithAccount('user-1', null, { paidPlan: null, canCancel: true })).toEqual([
    'Your subscription ends at once, and what is left of its period with it.',
  ]);
});

it('says nothing of what is somebody else’s, or not known', () => {
  expect(endsWithAccount('user-2', company, { paidPlan: null, canCancel: false })).toEqual([]);
  expect(endsWithAccount('user-1', undefined, null)).toEqual([]);
});
