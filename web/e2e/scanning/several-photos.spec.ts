import type { Page } from '@playwright/test';
import { expect, golden, test, type App } from '../fixtures';

/** Several photographs of one part in one scan. */

test('several photos of a part are looked through, scanned together and told apart', async ({
  owner,
}) => {
  const { page } = owner;
  const [rotor, rim] = [golden('brake-rotor'), golden('rim')];
  await owner.scan(rotor.path, rim.path, golden('meadow').path);
  const photos = photosToScan(page);
  await expect(photos).toHaveCount(3);
  await owner.expectSound();
  await page.getByRole('button', { name: 'Remove photo 3' }).click();
  await expect(photos).toHaveCount(2);

  await page.getByRole('button', { name: 'Crop photo 1' }).click();
  const crop = page.getByRole('dialog', { name: 'Crop the Photo' });
  await crop.getByRole('button', { name: 'Keep Whole Photo' }).click();
  await expect(crop).toBeHidden();

  const answer = page.waitForResponse(/\/api\/identify$/);
  await page.getByRole('button', { name: 'Scan 2 Photos' }).click();
  const { photoCount, photos: findings } = (await (await answer).json()) as {
    photoCount: number;
    photos: { label: string }[];
  };
  expect(photoCount).toBe(2);
  expect(findings.map(({ label }) => label)).toEqual([rotor.label, rim.label]);

  const result = page.getByRole('region', { name: 'Scan Results' });
  const told = result.getByRole('region', { name: 'From 2 photos' });
  await expect(told.getByRole('listitem')).toHaveCount(2);
  await expect(told.getByRole('listitem').first()).toContainText('Brake Rotor');
  await expect(told.getByText('Shows it best')).toHaveCount(1);
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
  await owner.expectSound();
});

test('a scan whose answer is lost is counted once', async ({ owner }) => {
  const { page } = owner;
  await loseFirstAnswer(page);
  await owner.scan(golden('brake-rotor').path, golden('brake-rotor').path);
  await expect(photosToScan(page)).toHaveCount(2);
  await page.getByRole('button', { name: 'Scan 2 Photos' }).click();
  const failure = page.getByRole('dialog', { name: 'Analysis Failed' });
  await expect(failure).toContainText('The server cannot be reached.');
  // The server has answered, and counted it.
  expect(await scansUsed(owner)).toBe(1);

  await failure.getByRole('button', { name: 'Try Again' }).click();
  const again = page.waitForResponse(/\/api\/identify$/);
  await page.getByRole('button', { name: 'Scan 2 Photos' }).click();
  expect((await again).headers()['idempotency-replayed']).toBe('true');
  await expect(page.getByRole('region', { name: 'From 2 photos' })).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
  expect(await scansUsed(owner)).toBe(1);
});

const photosToScan = (page: Page) =>
  page.getByRole('list', { name: 'Photos to scan together' }).getByRole('listitem');

/**
 * The server answers the first scan, and the page does not hear of it. Done inside the page: a route
 * sees no bytes of files, so that what it sends on by itself is another scan.
 */
async function loseFirstAnswer(page: Page) {
  await page.evaluate(() => {
    const connected = window.fetch.bind(window);
    let isLost = false;
    window.fetch = async (...call) => {
      const answer = await connected(...call);
      if (isLost || !answer.url.endsWith('/api/identify')) return answer;
      isLost = true;
      await answer.text();
      throw new TypeError('the connection is gone');
    };
  });
}

const scansUsed = async (app: App) =>
  ((await app.call('get', '/api/scans/limits')) as { used: number }).used;
