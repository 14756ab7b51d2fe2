import { expectSoundAtEveryWidth, mailedLink } from '../account-vocabulary';
import { ADA, expect, test } from '../fixtures';

/** Looking after an account, from the first mail to the end. */

test('a password that everybody tries first is refused at its field', async ({ app }) => {
  const { page } = app;
  await app.open('/profile');
  await expect(page.getByRole('banner')).toHaveCount(0);
  await page.getByRole('tab', { name: 'Sign Up' }).click();
  await expect(page.getByText('Password must be at least 6 characters')).toBeVisible();
  await page.getByLabel('First name').fill(ADA.firstName);
  await page.getByLabel('Last name').fill(ADA.lastName);
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByLabel('Password').fill('Summer2026!');
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByLabel('Password')).toHaveAccessibleDescription(
    /one of the first that people try/,
  );
  await expectSoundAtEveryWidth(app);
  await page.getByLabel('Password').fill(ADA.password);
  await page.getByRole('button', { name: 'Sign Up', exact: true }).click();
  await expect(page.getByLabel(/accept the Terms/)).toBeVisible();
});

test('confirm the address with the mailed link, once', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Profile');
  await expect(page.getByText('Confirm your e-mail address')).toBeVisible();
  await page.getByRole('button', { name: 'Send the link again' }).click();
  await expect(page.getByText('Mail written', { exact: true })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  const link = await mailedLink(owner, ADA.email, 'verify-email');
  await owner.open(link);
  await expect(page.getByRole('region', { name: 'Is this your address?' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Confirm Address' }).click();
  await expect(page.getByText('E-mail address confirmed')).toBeVisible();
  await expect(page.getByText('Confirm your e-mail address')).toHaveCount(0);
  await owner.open(link);
  await page.getByRole('button', { name: 'Confirm Address' }).click();
  await expect(page.getByText('This link is no longer valid')).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page).toHaveURL(/\/profile$/);
});

test('choose a new password with the mailed link', async ({ owner }) => {
  const { page } = owner;
  // The address is not confirmed: the mail goes to any.
  await page.context().clearCookies();
  await owner.open('/profile');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await page.getByLabel('E-mail').fill(ADA.email);
  await page.getByRole('button', { name: 'Send the Link' }).click();
  await expect(page.getByText(`If ${ADA.email} has an account`)).toBeVisible();
  await owner.expectSound();

  await owner.open('/');
  await owner.open(await mailedLink(owner, ADA.email, 'reset-password'));
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - heading "Your account" [level=1]
    - region "Choose a new password":
      - form "New password":
        - textbox "New password"
        - textbox "New password, again"
        - checkbox "End my API keys and calendar address too. Otherwise they go on."
        - button "Set Password"
        - button "Cancel"
  `);
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill('amber-kite-2');
  await page.getByLabel('New password, again').fill('amber-kite-2');
  await page.getByRole('button', { name: 'Set Password' }).click();
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible();
  await owner.signIn('amber-kite-2');
  await expect(page.getByRole('heading', { level: 1, name: 'Scan' })).toBeVisible();
});

test('rename, change the password, see the browsers', async ({ owner, browser }) => {
  const { page } = owner;
  const other = await browser.newContext({ userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0' });
  const signIn = await other.request.post(`${owner.server.url}/api/auth/login`, { data: ADA });
  expect(signIn.ok()).toBe(true);

  await owner.goTo('Profile');
  await page.getByRole('button', { name: 'Change Name' }).click();
  await page.getByLabel('Last name').fill('King');
  await page.getByRole('button', { name: 'Save Name' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ada King' })).toBeVisible();

  const browsers = page.getByRole('region', { name: 'Signed-in browsers' });
  await expect(browsers.getByRole('listitem')).toHaveCount(2);
  await expect(browsers.getByText('This browser')).toHaveCount(1);

  await page.getByRole('button', { name: 'Change Password' }).click();
  await page.getByLabel('Current password').fill('not-this-one');
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill('amber-kite-2');
  await page.getByLabel('New password, again').fill('amber-kite-2');
  await page.getByRole('button', { name: 'Save Password' }).click();
  await expect(page.getByText('This is not your current password.')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByLabel('Current password').fill(ADA.password);
  await page.getByRole('button', { name: 'Save Password' }).click();
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible();
  await expect(browsers.getByRole('listitem')).toHaveCount(1);

  await browsers.getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  await other.close();
});

test('take the data along, and delete the account', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Profile');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download My Data' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.json$/);

  await page.getByRole('button', { name: 'Delete Account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByLabel(/to confirm/).fill(ADA.email);
  await dialog.getByLabel('Password').fill('not-this-one');
  await owner.expectSound();
  await dialog.getByLabel('Password').press('Enter');
  await expect(dialog.getByLabel('Password')).toHaveAttribute('aria-invalid', 'true');
  await dialog.getByLabel('Password').fill(ADA.password);
  await dialog.getByRole('button', { name: 'Delete for Good' }).click();
  await expect(page.getByText('Account deleted', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
});

test('sign out after half a second, and in again after a wrong password', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Profile');
  await page.getByRole('button', { name: 'Sign Out', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Signing out...' })).toBeDisabled();
  await expect(page.getByRole('heading', { level: 1, name: 'Welcome to Partsight' })).toBeVisible();
  await owner.open('/profile');
  await owner.signIn('wrong-password');
  await expect(page.getByText('Authentication failed', { exact: true })).toBeVisible();
  await expect(
    page.getByText('Please check your credentials and try again.', { exact: true }),
  ).toBeVisible();
  await owner.signIn();
  await expect(page.getByRole('button', { name: /2015 Honda Civic/ })).toBeVisible();
});

test('a sign-in elsewhere that failed says why', async ({ app }) => {
  await app.open('/profile?sign-in=failed&reason=email-not-verified');
  await expect(app.page.getByText('You are not signed in')).toBeVisible();
  await expect(app.page.getByText(/has not confirmed your e-mail address/)).toBeVisible();
  await expectSoundAtEveryWidth(app);
});
