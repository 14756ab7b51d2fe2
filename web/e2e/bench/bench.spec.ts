import { readFile } from 'node:fs/promises';
import { test } from '../camera-film';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { ADA, expect, type App } from '../fixtures';
import { PARTS, tableFilm } from './table-film';

/** Parts that a hand lays under the camera, one after the other. */

test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

/** Opens the bench, and counts what is sent from it. */
async function openBench(app: App) {
  let sent = 0;
  app.page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/identify') sent += 1;
  });
  await app.open('/shop');
  await app.page.getByRole('link', { name: /^Bench/ }).click();
  await expect(app.page.getByRole('heading', { level: 1, name: 'Bench' })).toBeVisible();
  return () => sent;
}

const scans = async (app: App) =>
  (await app.call('get', '/api/scans/recent')) as { part: { name: string } }[];

const linesOf = ({ page }: App) =>
  page.getByRole('list', { name: 'Parts, the newest first' }).getByRole('listitem');

const DESK = { viewport: { width: 1920, height: 1080 } };

test('ten parts laid down one after the other are ten scans', async ({ page, filming }) => {
  test.slow();
  const parts = Array.from({ length: PARTS }, (_, n) => n);
  const seconds = { before: 5, lying: 4, between: 1.5, after: 30 };
  const app = await filming(await tableFilm(page, parts, seconds), DESK);
  const sent = await openBench(app);
  await app.page.getByRole('button', { name: 'Start the Camera' }).click();
  await expect(linesOf(app)).toHaveCount(PARTS, { timeout: 200_000 });
  // The table is empty for some seconds more, in which nothing may be scanned.
  await expect(app.page.getByRole('heading', { name: 'Lay a part down' })).toBeVisible();
  await app.page.waitForTimeout(6000);
  await expect(linesOf(app)).toHaveCount(PARTS);
  expect(sent()).toBe(PARTS);
  await app.page.getByRole('button', { name: 'Stop' }).click();
  await expect(app.page.getByText('Looking...')).toHaveCount(0);
  await expect(linesOf(app).last()).toContainText('Brake Rotor');
  await expect(linesOf(app).nth(-2)).toContainText('Coil Spring');
  await app.expectSound();
});

test('a bench without its server, with its camera unplugged, and worked by keys', async ({
  page,
  filming,
}) => {
  test.slow();
  const seconds = { before: 4, lying: 5, between: 3, after: 60 };
  const app = await filming(await tableFilm(page, [0, 1], seconds), DESK);
  const sent = await openBench(app);
  const bench = app.page;
  const answer = bench.getByRole('region', { name: 'Answer' });
  await app.expectSound();
  // A barcode scanner types quickly; none of its digits is a key of the bench.
  await bench.keyboard.type('ORD-1234\n');
  await expect(bench.getByLabel('Bin or order')).toHaveValue('ORD-1234');

  await bench.route('**/api/**', (route) => route.abort());
  await bench.getByRole('button', { name: 'Start the Camera' }).click();
  await expect(linesOf(app)).toHaveCount(2, { timeout: 120_000 });
  await expect(linesOf(app).first()).toContainText('Sent once the server is back');
  await expect(bench.getByText('2 to send')).toBeVisible();
  await app.expectSound();

  await bench.unroute('**/api/**');
  await expect(linesOf(app).last()).toContainText('Brake Rotor', { timeout: 60_000 });
  await expect(linesOf(app).first()).toContainText('Coil Spring', { timeout: 60_000 });
  await expect(bench.getByText('to send')).toHaveCount(0);
  expect(await scans(app)).toHaveLength(2);

  // As the browser tells it when the cable is pulled; the camera is there again at once.
  const table = bench.locator('video');
  await table.evaluate((video: HTMLVideoElement) => {
    (video.srcObject as MediaStream).getVideoTracks()[0]?.dispatchEvent(new Event('ended'));
  });
  await expect(bench.getByRole('heading', { name: 'The camera is gone' })).toBeVisible();
  await expect(bench.getByRole('heading', { name: 'The camera is gone' })).toBeHidden();
  await bench.getByRole('button', { name: 'Stop' }).click();

  await bench.keyboard.press('2');
  await expect(answer.getByText('Confirmed by you')).toBeVisible();
  await bench.keyboard.press('2');
  await expect(answer.getByText('Confirmed by you')).toBeHidden();

  await expectSoundAtEveryWidth(app);
  await app.expectSound();
  await bench.keyboard.press('p');
  const label = bench.getByRole('dialog', { name: /^Label of Part 2/ });
  await expect(label.getByRole('img', { name: /QR code/ })).toBeVisible();
  await expect(label).toContainText('ORD-1234');
  await app.expectSound();
  await bench.keyboard.press('Escape');

  const download = bench.waitForEvent('download');
  await bench.getByRole('button', { name: 'Export CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv).toMatch(/\n1,[^,]+,ORD-1234,Brake Rotor,/);

  // Taken out, put back, and taken out for good with the page.
  await bench.keyboard.press('u');
  await expect(linesOf(app).first()).toContainText('Part 2 is taken out.');
  await bench.keyboard.press('u');
  await expect(linesOf(app).first()).toContainText('Coil Spring');
  await bench.keyboard.press('u');
  // A key waits for a moment, in case that a barcode scanner types on.
  await expect(linesOf(app).first()).toContainText('Part 2 is taken out.');
  await bench.getByRole('link', { name: 'Back to the shop' }).click();
  const left = async () => (await scans(app)).map(({ part }) => part.name);
  await expect.poll(left).toEqual(['Brake Rotor']);
  expect(sent()).toBeGreaterThanOrEqual(2);
});

test('a photo outlives a reload while it is sent, and a session that has ended', async ({
  page,
  filming,
}) => {
  test.slow();
  const seconds = { before: 4, lying: 30, between: 3, after: 60 };
  const app = await filming(await tableFilm(page, [0], seconds), DESK);
  const sent = await openBench(app);
  const bench = app.page;
  const start = bench.getByRole('button', { name: 'Start the Camera' });
  // An answer that never comes.
  await bench.route('**/api/identify', () => undefined);
  await start.click();
  await expect(linesOf(app)).toContainText('The photo is on its way', { timeout: 60_000 });
  await expect.poll(sent).toBe(1);
  await bench.unroute('**/api/identify');
  await bench.reload();
  await expect(linesOf(app)).toContainText('Brake Rotor');
  // Only then: what the page reads between two parts would find it out before there is a photo.
  await bench.route('**/api/identify', async (route) => {
    await bench.context().clearCookies();
    await route.continue();
  });
  await start.click();
  await expect(bench.getByText('Sign In Required')).toBeVisible({ timeout: 60_000 });
  await bench.unroute('**/api/identify');
  await app.expectSound();

  await app.post('/api/auth/login', ADA);
  await bench.reload();
  await expect(linesOf(app)).toHaveCount(2);
  for (const line of await linesOf(app).all()) await expect(line).toContainText('Brake Rotor');
  expect(await scans(app)).toHaveLength(2);
});

test('a camera that is refused or missing says what to do', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/bench');
  const start = async (error: string) => {
    await page.evaluate((name) => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', name));
    }, error);
    await page.getByRole('button', { name: 'Start the Camera' }).click();
  };
  await start('NotAllowedError');
  await expect(page.getByRole('heading', { name: 'The camera is not allowed' })).toBeVisible();
  await owner.expectSound();
  await page.getByRole('button', { name: 'Stop' }).click();
  await start('NotFoundError');
  await expect(page.getByRole('heading', { name: 'No camera was found' })).toBeVisible();
  for (const width of [360, 768, 1440, 1920]) {
    await page.setViewportSize({ width, height: width === 1920 ? 1080 : 900 });
    await owner.expectSound();
  }
  await page.getByRole('button', { name: 'Settings' }).click();
  await owner.expectSound();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keys' }).click();
  await owner.expectSound();
});
