import { readFile, writeFile } from 'node:fs/promises';
import { expect, golden, test, type App } from '../fixtures';

const failure = ({ page }: App) => page.getByRole('dialog', { name: 'Analysis Failed' });

test('a file that is not an image is refused before it is sent, in the words of the server', async ({
  owner,
}, info) => {
  const image = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not a picture') };
  const { page, server } = owner;
  const refusal = await page.request.post(`${server.url}/api/identify`, { multipart: { image } });
  expect(refusal.status()).toBe(415);
  const { message } = (await refusal.json()) as { message: string };
  const path = info.outputPath('notes.txt');
  await writeFile(path, 'not a picture');
  await owner.scan(path);
  await expect(page.getByRole('alert')).toHaveText(message);
});

test('a broken image is refused by the server with a plain sentence', async ({ owner }, info) => {
  const path = info.outputPath('broken.png');
  await writeFile(path, 'not a picture either');
  await owner.scan(path);
  await expect(failure(owner)).toBeVisible();
  await expect(failure(owner)).not.toContainText('{');
  await failure(owner).getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(owner.page.getByText('Scans used 0/2')).toBeVisible();
});

test('a picture of no part is not identified, costs nothing and can be tried again', async ({
  owner,
}) => {
  await owner.scan(golden('meadow').path);
  await expect(failure(owner)).toContainText(
    "We couldn't identify this part. Try adjusting the lighting or angle.",
  );
  // What a good photo is.
  await expect(failure(owner).getByRole('img')).toHaveCount(3);
  await owner.expectSound();
  await failure(owner).getByRole('button', { name: 'Try Again' }).click();
  await expect(owner.page.getByRole('button', { name: 'Scan This Photo Again' })).toBeEnabled();
  await expect(owner.page.getByText('Scans used 0/2')).toBeVisible();
});

test('after two scans the allowance of Basic is used up', async ({ owner }) => {
  const { page } = owner;
  for (const name of ['brake-rotor', 'rim'] as const) {
    await owner.scanAndWait(golden(name).path);
    await page.getByRole('button', { name: 'Close results' }).click();
  }
  await expect(page.getByText('Scans used 2/2')).toBeVisible();
  await owner.scan(golden('rim').path);
  await expect(
    failure(owner).getByText(
      'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
      { exact: true },
    ),
  ).toBeVisible();
  await failure(owner).getByRole('link', { name: 'See the plans' }).click();
  await expect(page).toHaveURL(/\/pricing$/);
});

test('the server refuses a scan over the allowance that the page did not know of', async ({
  owner,
}) => {
  const { page } = owner;
  for (const name of ['brake-rotor', 'rim'] as const) {
    const response = await page.request.post(`${owner.server.url}/api/identify`, {
      multipart: {
        image: { name: 'x.png', mimeType: 'image/png', buffer: await readFile(golden(name).path) },
      },
    });
    expect(response.ok(), await response.text()).toBe(true);
  }
  await owner.scan(golden('rim').path);
  await expect(failure(owner)).toContainText('Monthly scan limit exceeded.');
  await failure(owner).getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(page.getByText('Scans used 2/2')).toBeVisible();
});

test('Cancel aborts the request and says nothing of an error', async ({ owner }) => {
  const { page } = owner;
  await page.route('**/api/identify', () => new Promise(() => undefined));
  const aborted = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/api/identify'),
  );
  await owner.scan(golden('rim').path);
  const dialog = page.getByRole('dialog', { name: 'Analyzing Part...' });
  await expect(dialog).toContainText('Using AI to identify your car part');
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await aborted;
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a server that is away is named as the reason', async ({ owner }) => {
  await owner.server.stop();
  await owner.scan(golden('rim').path);
  await expect(failure(owner).getByText('Failed to analyze image', { exact: true })).toBeVisible();
  await expect(failure(owner)).toContainText('Check that it is running and try again.');
});

test('leaving the screen during a scan aborts it, and the way back starts anew', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  await owner.goTo('Scan');
  await page.route('**/api/identify', () => new Promise(() => undefined));
  const aborted = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/api/identify'),
  );
  await owner.scan(golden('rim').path);
  await expect(page.getByRole('dialog', { name: 'Analyzing Part...' })).toBeVisible();
  await page.goBack();
  await aborted;
  await expect(page.getByRole('heading', { name: 'My Vehicles' })).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.unroute('**/api/identify');
  await page.goForward();
  await owner.scanAndWait(golden('rim').path);
});

test('code that does not arrive at first is asked for again', async ({ app }) => {
  const { page } = app;
  let isAway = true;
  await page.route('**/crop-dialog-*.js*', (route) => (isAway ? route.abort() : route.continue()));
  await app.prepareOwner();
  await app.open('/');
  await page.getByRole('checkbox', { name: 'Crop before sending' }).check();
  await app.scan(golden('rim').path);
  await expect(page.getByText('Cropping could not be shown')).toBeVisible();
  isAway = false;
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByRole('dialog', { name: 'Crop the Photo' })).toBeVisible();
});
