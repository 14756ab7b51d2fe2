import { expect, golden, test } from '../fixtures';

/** The history: what was scanned, found again. */

test.describe('without a limit', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'pro' } });

  test('search, filter, open, delete and export', async ({ owner }) => {
    const { page } = owner;
    await owner.scanAndWait(golden('brake-rotor').path);
    await page.getByRole('button', { name: 'Close results' }).click();
    await owner.scanAndWait(golden('coil-spring').path);
    await owner.goTo('History');
    const rows = page.getByRole('region', { name: 'Scan History' }).getByRole('listitem');
    await expect(rows).toHaveCount(2);
    await expect(rows.first().locator('img')).toHaveJSProperty('complete', true);
    await owner.expectSound();

    await page.getByRole('searchbox', { name: 'Search scans' }).fill('honda spring');
    await expect(rows).toHaveCount(1);
    await page.getByLabel('Category').selectOption('Brake System');
    await expect(page.getByText('No scan fits')).toBeVisible();
    await owner.expectSound();
    await page.getByRole('button', { name: 'Show all scans' }).click();
    await expect(rows).toHaveCount(2);

    await page.getByRole('button', { name: /^Coil Spring.*match/ }).click();
    const result = page.getByRole('region', { name: 'Scan Results' });
    await expect(result.getByRole('img', { name: 'Your photo' })).toBeVisible();
    await owner.expectSound();
    await page.reload();
    await expect(result).toBeVisible();

    await page.getByRole('button', { name: /^Delete Coil Spring/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('The scan has been removed.').first()).toBeVisible();
    await expect(rows).toHaveCount(1);
    await expect(result).toBeHidden();

    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export All as CSV' }).click();
    expect((await download).suggestedFilename()).toBe('scans.csv');
    await page.getByRole('button', { name: 'Clear All' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Clear All' }).click();
    await expect(page.getByText('No scans yet')).toBeVisible();
  });
});

test('a server that does not answer', async ({ owner }) => {
  const { page } = owner;
  await page.route('**/api/scans?*', (route) => route.abort());
  await owner.goTo('History');
  await expect(page.getByText('Scans could not be loaded')).toBeVisible();
  await owner.expectSound();
  await page.unroute('**/api/scans?*');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('No scans yet')).toBeVisible();
});
