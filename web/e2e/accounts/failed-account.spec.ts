import type { Schemas } from '@/api/client';
import { BUSY, expectToast, fail } from '../failures';
import { ADA, expect, test } from '../fixtures';

/** What is said when an account cannot accept the terms, learn its plan or have its scans back. */

test('terms that cannot be accepted stay, with both boxes ticked', async ({ app }) => {
  const { page } = app;
  await app.post('/api/auth/signup', ADA);
  const mend = await fail(app, 'POST', '**/api/auth/user/accept-terms');
  await app.open('/');
  const terms = page.getByRole('dialog', { name: 'Terms and Privacy Policy' });
  const boxes = [terms.getByLabel(/accept the Terms/), terms.getByLabel(/accept the Privacy/)];
  const confirm = terms.getByRole('button', { name: 'Confirm and Accept' });
  for (const box of boxes) await box.check();
  await confirm.click();
  await expectToast(app, 'Error', 'Failed to accept terms. Please try again.');
  await expect(terms).toBeVisible();
  for (const box of boxes) await expect(box).toBeChecked();
  await app.expectSound();
  await mend();
  await confirm.click();
  await expectToast(app, 'Terms Accepted', 'Thank you for accepting our terms and privacy policy.');
  await expect(terms).toHaveCount(0);
});

test('a plan that cannot be loaded, and scans that the plan does not give', async ({ owner }) => {
  const { page } = owner;
  const mend = await fail(owner, 'GET', '**/api/subscription/status', BUSY);
  await owner.open('/manage-subscription');
  const sentence = 'Unable to load subscription information. Please try again later.';
  await expect(page.getByText(sentence, { exact: true })).toBeVisible();
  await owner.expectSound();
  await mend();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('region', { name: 'Current Plan' })).toContainText('2 remaining');
  await expect(page.getByText(sentence, { exact: true })).toHaveCount(0);

  // The page takes the plan for a paid one, as it does when that one ended a moment ago; the server does not.
  const user = (await owner.call('get', '/api/auth/user')) as Schemas['User'];
  await page.route('**/api/auth/user', (route) =>
    route.fulfill({ json: { ...user, planType: 'pro' } satisfies Schemas['User'] }),
  );
  await owner.goTo('Profile');
  const activate = page.getByRole('button', { name: 'Activate Unlimited Scans' });
  await activate.click();
  await expectToast(owner, 'Reset failed', 'Unable to reset scan limits.');
  await expect(activate).toBeEnabled();
});
