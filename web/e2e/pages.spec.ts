import { expectSoundAtEveryWidth } from './account-vocabulary';
import { expect, test } from './fixtures';

/** The pages that need no account: legal texts, prices, the vehicle database, wrong addresses. */

test('from the terms to the privacy policy', async ({ app }) => {
  const { page } = app;
  await app.open('/terms');
  await expect(page.getByText(/laws of the State of Oregon/)).toBeVisible();
  await page.getByRole('link', { name: 'Privacy Policy' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Privacy Policy');
});

test('pricing', async ({ app }) => {
  const { page } = app;
  await app.open('/pricing');
  await expect(page.getByText('$4.99')).toBeVisible();
  await expect(page.getByText('$14.99')).toBeVisible();
  await expect(page.getByText('Save 17%')).toHaveCount(0);
  await page.getByRole('button', { name: 'Annual' }).click();
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - heading "Pricing" [level=1]
    - group "Billing":
      - button "Monthly"
      - button "Annual" [pressed]
    - text: Save 17%
    - paragraph: Payments are not set up on this server
    - list:
      - listitem:
        - region "Basic plan":
          - link "Start scanning"
      - listitem:
        - region "Pro plan":
          - text: Most popular
          - paragraph: $49.90 per year
          - paragraph: Save $9.98 a year
          - link "Choose Pro"
      - listitem:
        - region "Business plan":
          - paragraph: $149.90 per year
          - link "Choose Business"
  `);
  await expect(page.getByText('Save $29.98 a year')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Why Upgrade to Pro?' })).toBeVisible();
  await page.getByText('How much of my history can I see on the free plan?').click();
  await expect(page.getByText(/view only the last 5 scans/)).toBeVisible();
  await expectSoundAtEveryWidth(app);
  await page.getByRole('link', { name: 'Start scanning' }).click();
  await expect(page).toHaveURL(/\/$/);
});

test('vehicle database', async ({ app }) => {
  const { page } = app;
  await app.open('/carquery-test');
  await expect(page.getByLabel('Year')).toHaveValue('2020');
  await page.getByLabel('Make', { exact: true }).selectOption('Honda');
  await page.getByLabel('Model', { exact: true }).selectOption('Civic');
  await expect(
    page.getByRole('list', { name: 'Engine variants' }).getByRole('listitem').first(),
  ).toBeVisible();
  await expectSoundAtEveryWidth(app);
});

test('forced colours show the current screen and the outline of a button', async ({ app }) => {
  const { page } = app;
  await page.emulateMedia({ forcedColors: 'active' });
  await app.open('/pricing');
  const tabs = page.getByRole('navigation', { name: 'Main' });
  await expect(tabs.getByRole('link', { name: 'Pricing' })).toHaveCSS(
    'text-decoration-line',
    'underline',
  );
  await expect(tabs.getByRole('link', { name: 'History' })).toHaveCSS(
    'text-decoration-line',
    'none',
  );
  await app.open('/wherever');
  await expect(page.getByRole('link', { name: 'Go Home' })).toHaveCSS('border-top-width', '1px');
});
