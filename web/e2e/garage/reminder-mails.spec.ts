import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, test } from '../fixtures';

// Nobody listens there: the choice needs none.
test.use({ settings: { PARTSIGHT_SMTP_URL: 'smtp://127.0.0.1:9' } });

test('mails are chosen on the account page and end by the link in each of them', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Profile');
  const choice = page.getByLabel('A mail of what is due');
  await choice.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByText('Reminders come by mail', { exact: true })).toBeVisible();
  // It was disabled while it was saved.
  await expect(choice).toBeFocused();
  await expect(page.getByText(/once you have confirmed your e-mail address/)).toBeVisible();
  await page.reload();
  await expect(choice).toHaveValue('daily');
  await expectSoundAtEveryWidth(owner);
  await owner.open('/unsubscribe#0123abcd');
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Stop Mails' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'No more mails' })).toBeFocused();
  await page.getByRole('main').getByRole('link', { name: 'account page' }).click();
  // That was the secret of nobody.
  await expect(choice).toHaveValue('daily');
  await choice.selectOption('Never');
  await expect(page.getByText('No more mails', { exact: true })).toBeVisible();
});
