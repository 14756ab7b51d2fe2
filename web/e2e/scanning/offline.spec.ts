import { fail } from '../failures';
import { expect, golden, test, type App } from '../fixtures';

/** The installed app: a shell without a server, photos that wait, and a new version. */

test.use({ serviceWorkers: 'allow' });

/** Opens the home screen once more, under the worker. */
async function underWorker(owner: App) {
  const { page } = owner;
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  // What the person is remembered by is written after the screen stands.
  await page.waitForFunction(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open('partsight', 1);
        request.onsuccess = () => {
          const owners = request.result.transaction('owner').objectStore('owner').count();
          owners.onsuccess = () => {
            request.result.close();
            resolve(owners.result > 0);
          };
        };
      }),
  );
}

const queue = ({ page }: App) => page.getByRole('region', { name: 'Waiting to Be Sent' });

test('a photo taken without a connection is kept over a reload and sent later', async ({
  owner,
}) => {
  const { page } = owner;
  await underWorker(owner);
  await page.context().setOffline(true);
  await owner.scan(golden('brake-rotor').path);
  const kept = page.getByRole('region', { name: 'Kept for Later' });
  await expect(kept).toContainText('The photo is sent when the server can be reached');
  await owner.expectSound();

  await page.reload();
  await expect(page.getByText('No connection to the server')).toBeVisible();
  await expect(page.getByRole('banner').getByText('No connection')).toBeVisible();
  await expect(queue(owner).getByRole('listitem')).toHaveCount(1);
  await owner.expectSound();
  await owner.scan(golden('rim').path);
  await expect(kept).toBeVisible();
  await expect(queue(owner).getByRole('listitem')).toHaveCount(2);
  await queue(owner)
    .getByRole('button', { name: /^Delete the photo of/ })
    .last()
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(queue(owner).getByRole('listitem')).toHaveCount(1);

  await page.context().setOffline(false);
  await expect(page.getByText('A kept photo was answered', { exact: true })).toBeVisible();
  await expect(queue(owner)).toHaveCount(0);
  await expect(page.getByRole('button', { name: /Brake Rotor/ })).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
});

test('a photo is kept while a proxy answers for its server, and sent later', async ({ owner }) => {
  const { page } = owner;
  await underWorker(owner);
  const mend = [await fail(owner, 'GET', '**/api/**'), await fail(owner, 'GET', '**/health')];
  await page.reload();
  await expect(page.getByText('No connection to the server')).toBeVisible();
  await owner.scan(golden('brake-rotor').path);
  await expect(page.getByRole('region', { name: 'Kept for Later' })).toBeVisible();
  for (const end of mend) await end();
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(page.getByText('A kept photo was answered', { exact: true })).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
});

test('the model is kept, and guesses without a connection', async ({ owner }) => {
  const { page } = owner;
  await underWorker(owner);
  await page.route('**/api/identify', (route) => route.abort());
  await owner.scan(golden('rim').path);
  const failure = page.getByRole('dialog', { name: 'Analysis Failed' });
  await expect(failure).toContainText('Failed to analyze image');
  await failure.getByRole('button', { name: 'Keep and Send Later' }).click();
  const kept = page.getByRole('region', { name: 'Kept for Later' });
  await expect(kept).toContainText('This browser’s guess', { timeout: 60_000 });
  await kept.getByRole('button', { name: 'Close' }).click();
  await page.context().setOffline(true);
  await owner.scan(golden('brake-rotor').path);
  await expect(kept).toContainText('Brake Rotor', { timeout: 60_000 });
  await expect(kept).toContainText('This browser’s guess');
  await owner.expectSound();
});

test('no call but those for the model is kept by the worker', async ({ owner }) => {
  const { page } = owner;
  await underWorker(owner);
  await page.reload();
  await owner.goTo('Vehicle');
  const kept = await page.evaluate(async () => {
    const addresses: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) {
        addresses.push(new URL(url).pathname);
      }
    }
    return addresses;
  });
  expect(kept).toContain('/');
  expect(kept.filter((path) => path.startsWith('/api') && !path.startsWith('/api/model'))).toEqual(
    [],
  );
  expect(kept.filter((path) => path.endsWith('.wasm'))).toEqual([]);
});

test('every screen opens without a server', async ({ owner }) => {
  const { page } = owner;
  await underWorker(owner);
  await page.context().setOffline(true);
  for (const path of ['/', '/vehicle', '/history', '/pricing', '/terms']) {
    await page.goto(owner.server.url + path);
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
  }
});

test('signing out asks what becomes of photos that wait', async ({ owner }) => {
  const { page } = owner;
  await page.route('**/api/identify', (route) => route.abort());
  await owner.scan(golden('rim').path);
  await page.getByRole('button', { name: 'Keep and Send Later' }).click();
  await expect(queue(owner)).toBeVisible();
  await owner.goTo('Profile');
  await page.getByRole('button', { name: 'Sign Out', exact: true }).click();
  const question = page.getByRole('dialog', { name: '1 photo not sent yet' });
  await owner.expectSound();
  await question.getByRole('button', { name: 'Delete and Sign Out' }).click();
  await expect(page.getByRole('link', { name: 'Sign In to Continue' })).toBeVisible();
});

test('a new version waits for what another tab has unsaved', async ({ owner }) => {
  const { page } = owner;
  await underWorker(owner);
  await page.reload();
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const other = await page.context().newPage();
  await other.goto(`${owner.server.url}/contact`);
  await other.getByLabel('Message').fill('The rotor of my car');

  // Another address is another version to a browser.
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/service-worker.js?next');
  });
  await expect(page.getByText('An update is waiting', { exact: true })).toBeVisible();
  const isWaiting = () =>
    page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null);
  expect(await isWaiting()).toBe(true);

  const loaded = page.waitForEvent('load');
  await other.close();
  await loaded;
  await expect(page.getByRole('button', { name: 'Upload from Gallery' })).toBeVisible();
});

test('the app can be installed', async ({ app }) => {
  await app.open('/');
  const address = await app.page.locator('link[rel="manifest"]').getAttribute('href');
  const manifest = (await (
    await app.page.request.get(app.server.url + (address ?? ''))
  ).json()) as {
    icons: { src: string; sizes: string; purpose?: string }[];
  };
  for (const { src } of manifest.icons) {
    expect((await app.page.request.get(app.server.url + src)).ok(), src).toBe(true);
  }
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable');
});
