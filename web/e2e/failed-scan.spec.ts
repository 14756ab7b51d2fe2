import { readFile, writeFile } from 'node:fs/promises';
import { expect, golden, test, type App } from './fixtures';

const failure = ({ page }: App) => page.getByRole('dialog', { name: 'Analysis Failed' });

test('a file that is not an image is refused before it is sent', async ({ owner }, info) => {
  const path = info.outputPath('notes.txt');
  await writeFile(path, 'not a picture');
  await owner.scan(path);
  await expect(owner.page.getByRole('alert')).toContainText('This file is not an image');
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
  await expect(failure(owner)).toContainText(
    'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
  );
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
  await expect(failure(owner)).toContainText('Failed to analyze image');
  await expect(failure(owner)).toContainText('Check that it is running and try again.');
});

test('an answer that is not sure says so and names what else it could be', async ({ owner }) => {
  const { page } = owner;
  const sure = await page.request.post(`${owner.server.url}/api/identify`, {
    multipart: {
      image: { name: 'x.png', mimeType: 'image/png', buffer: await readFile(golden('rim').path) },
    },
  });
  const result = (await sure.json()) as object;
  await page.route('**/api/identify', (route) =>
    route.fulfill({ json: { ...result, verdict: 'not-sure' } }),
  );
  await owner.scanAndWait(golden('rim').path);
  await expect(page.getByText('Not sure about this one')).toBeVisible();
  await expect(page.getByText(/It could also be: /)).toBeVisible();
  await owner.expectSound();
});

test('a session that ended leads back to the sign-in', async ({ owner }) => {
  const { page } = owner;
  await page.context().clearCookies();
  // The toast stands for half a second before the page leaves: wait for it inside the page.
  const told = page.getByText('Please sign in to scan parts', { exact: true }).first().waitFor();
  await owner.scan(golden('rim').path);
  await told;
  await expect(page).toHaveURL(/\/profile$/);
});
