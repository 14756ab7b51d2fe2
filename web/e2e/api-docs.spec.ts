import { expect, test } from './fixtures';

/** The page on which people read and try the calls. */

test('a call is found, read and tried with the body that stands there', async ({ app }) => {
  const { page } = app;
  await app.prepareOwner();
  await app.open('/api/docs');
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'false');
  await app.expectNoOverflow();
  await page.getByRole('searchbox').fill('post /api/vehicles');
  const call = page.locator('#create_vehicle');
  await call.getByText('/api/vehicles', { exact: true }).click();
  await expect(call.getByRole('textbox', { name: /^Body/ })).toHaveValue(/"make": "Honda"/);
  await call.getByRole('button', { name: 'Send' }).click();
  await expect(call.getByText(/^201 Created in \d+ ms/)).toBeVisible();
  await expect(call.getByText(/"vinNumber": "1HGCM82633A004352"/).last()).toBeVisible();

  // A form with files begins with fields for them.
  await page.getByRole('searchbox').fill('post /api/identify');
  const identify = page.locator('#identify_part');
  await identify.getByText('/api/identify', { exact: true }).click();
  await expect(identify.getByLabel('image')).toHaveAttribute('type', 'file');
  // What is not there is said as it is.
  await page.getByRole('searchbox').fill('get /api/scans/{id}');
  const scan = page.locator('#get_scan');
  await scan.getByText('/api/scans/{id}', { exact: true }).click();
  await scan.getByLabel(/^id \(path, required\)/).fill('nothing');
  await scan.getByRole('button', { name: 'Send' }).click();
  await expect(scan.getByText(/^404 Not Found in/)).toBeVisible();
});
