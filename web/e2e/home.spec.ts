import { BUSY, fail } from './failures';
import { expect, test } from './fixtures';

/** What surrounds the camera on the home screen, and the footer of every screen. */

test('oil and filter of the default vehicle', async ({ owner }) => {
  const { page } = owner;
  await page.getByRole('button', { name: /Oil & Filter/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Oil Specification' });
  await expect(dialog).toMatchAriaSnapshot(`
    - dialog "Oil Specification":
      - term: Oil type
      - term: Capacity
      - button "Enter your own values"
      - region "Safety Tips":
        - heading "Safety Tips" [level=3]
        - list:
          - listitem
          - listitem
          - listitem
          - listitem
      - button "Close"
  `);
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Enter your own values' }).click();
  await dialog.getByLabel('Capacity in quarts').fill('100');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('alert')).toContainText('0.1 to 60 quarts');
  await dialog.getByLabel('Capacity in quarts').fill('4.1');
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('4.1 quarts')).toBeVisible();
  await expect(dialog.getByText('Entered by you')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('button', { name: /Oil & Filter/ })).toContainText('4.1 quarts');
});

test('oil specifications that cannot be had', async ({ owner }) => {
  const { page } = owner;
  const mend = await fail(owner, 'GET', '**/api/vehicles/ai/oil-specs/**', BUSY);
  await page.reload();
  const tile = page.getByRole('button', { name: /Oil & Filter/ });
  await expect(tile).toContainText('5W-30');
  await expect(tile).toContainText('4.5 quarts');
  await tile.click();
  const dialog = page.getByRole('dialog', { name: 'Oil Specification' });
  const said = dialog.getByText('Failed to fetch oil specifications', { exact: true });
  await expect(
    dialog.getByText('Unable to load oil specifications', { exact: true }),
  ).toBeVisible();
  await expect(said).toBeVisible();
  await owner.expectSound();
  await mend();
  await dialog.getByRole('button', { name: 'Try Again' }).click();
  await expect(dialog.getByRole('region', { name: 'Safety Tips' })).toBeVisible();
  await expect(said).toHaveCount(0);
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(tile).toBeFocused();
});

test('categories and oil wait for a default vehicle', async ({ app }) => {
  const { page } = app;
  await app.signUp();
  await app.open('/');
  const engine = page.getByRole('link', { name: 'Engine' });
  await expect(engine).toHaveAttribute('aria-disabled', 'true');
  await expect(engine).not.toHaveAttribute('href');
  const tile = page.getByRole('button', { name: /Oil & Filter/ });
  await expect(tile).toBeDisabled();
  await expect(tile).toContainText('Select Vehicle');
  await app.expectSound();
  await app.post('/api/vehicles', { make: 'Honda', model: 'Civic', year: 2015 });
  await page.reload();
  for (const name of ['Engine', 'Brake', 'Electrical', 'Suspension']) {
    await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute(
      'href',
      `/parts/${name.toLowerCase()}`,
    );
  }
});

test('the hidden reset', async ({ owner }) => {
  const { page } = owner;
  const line = page.getByText(/^© 2025/);
  for (let turn = 0; turn < 5; turn += 1) await line.click();
  await page.evaluate(() => localStorage.setItem('left', 'over'));
  await page.getByRole('button', { name: 'Reset App (Clear Cache)' }).click();
  const question = page.getByRole('alertdialog');
  await expect(question).toContainText('This will clear all caches and reload the app. Continue?');
  await owner.expectSound();
  const reloaded = page.waitForEvent('load');
  await question.getByRole('button', { name: 'Continue' }).click();
  await reloaded;
  expect(await page.evaluate(() => localStorage.getItem('left'))).toBeNull();
  await expect(page.getByRole('button', { name: 'Upload from Gallery' })).toBeVisible();
});

test('a message appears though its code can no longer be had', async ({ owner }) => {
  const { page } = owner;
  const code = page.waitForResponse(/toast-view/u);
  await page.reload();
  await code;
  await page.route(/toast-view/u, (route) => route.abort());
  await page.evaluate(() => {
    const detail = { title: 'An update is waiting', description: 'Close that tab.' };
    window.dispatchEvent(new CustomEvent('toast', { detail }));
  });
  await expect(page.getByText('An update is waiting', { exact: true })).toBeVisible();
});
