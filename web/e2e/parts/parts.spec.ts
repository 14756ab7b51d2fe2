import type { Schemas } from '@/api/client';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, test } from '../fixtures';

/** Browsing the parts of a category. */

test('find a part, see who sells it and how it is fitted', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/parts/brake');
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - heading "Brake System" [level=1]
    - text: /\\d+ parts/
    - paragraph: For 2015 Honda Civic
    - searchbox "Search parts"
    - list "Parts":
      - listitem:
        - button /Brake/
  `);
  await expectSoundAtEveryWidth(owner);
  const box = page.getByRole('searchbox', { name: 'Search parts' });
  await box.fill('flux capacitor');
  await expect(page.getByText('No matching parts found', { exact: true })).toBeVisible();
  await owner.expectSound();
  await page.getByRole('button', { name: 'Clear Search' }).click();
  await box.fill('ROTOR');
  await page.getByRole('button', { name: /^Brake Rotor/ }).click();
  const panel = page.getByRole('dialog', { name: 'Brake Rotor' });
  await expect(panel.getByRole('article', { name: 'RockAuto' })).toBeVisible();
  await expect(panel.getByText('Safety first')).toBeVisible();
  await expect(page).toHaveURL(/part=brake-rotor/);
  await expectSoundAtEveryWidth(owner);
  await panel.getByRole('button', { name: 'Close' }).click();
  await expect(panel).toHaveCount(0);
  await expect(page.getByRole('button', { name: /^Brake Rotor/ })).toBeFocused();
});

test('a category without parts, and a part that nobody sells', async ({ owner }) => {
  const { page } = owner;
  await page.route('**/api/parts/category/engine', (route) => route.fulfill({ json: [] }));
  await owner.open('/parts/engine');
  await expect(page.getByText('No parts found', { exact: true })).toBeVisible();
  await expect(
    page.getByText('No parts available in the Engine Components category.', { exact: true }),
  ).toBeVisible();
  await expect(page.getByRole('searchbox')).toHaveCount(0);
  await expectSoundAtEveryWidth(owner);

  const nobody: Schemas['PartSuppliers'] = { suppliers: [], sources: [] };
  await page.route('**/api/parts/*/ai-suppliers**', (route) => route.fulfill({ json: nobody }));
  await owner.open('/parts/brake?part=brake-rotor');
  const panel = page.getByRole('dialog', { name: 'Brake Rotor' });
  await expect(panel.getByText('No suppliers found for this part', { exact: true })).toBeVisible();
  await expect(panel.getByText('Safety first')).toBeVisible();
  await owner.expectSound();
});

test('a category needs a vehicle', async ({ app }) => {
  await app.signUp();
  await app.open('/parts/engine');
  await expect(app.page.getByText('Vehicle Required')).toBeVisible();
  await expect(app.page.getByText('Please add a vehicle to browse engine parts.')).toBeVisible();
  await expectSoundAtEveryWidth(app);
  await app.page.getByRole('link', { name: 'Add Vehicle' }).click();
  await expect(app.page).toHaveURL(/\/vehicle$/);
});

test('a category that there is none of', async ({ app }) => {
  await app.open('/parts/wings');
  await expect(app.page.getByRole('heading', { level: 1 })).toHaveText('Page Not Found');
  await expect(
    app.page.getByText("The parts category you're looking for doesn't exist.", { exact: true }),
  ).toBeVisible();
  await app.page.getByRole('link', { name: 'Go Home' }).click();
  await expect(app.page).toHaveURL(/\/$/);
});

test('a visitor is sent to sign in, and comes back', async ({ app }) => {
  const { page } = app;
  await app.signUp();
  await page.context().clearCookies();
  await app.open('/parts/cooling');
  await expect(page.getByText('Sign In Required')).toBeVisible();
  await page.getByRole('link', { name: 'Go to Sign In' }).click();
  await app.signIn();
  await expect(page).toHaveURL(/\/parts\/cooling$/);
});
