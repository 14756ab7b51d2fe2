import { expect, golden, test } from './fixtures';

/** Several photographs of one part in one scan. */

test('several photos of a part are looked through, scanned together and told apart', async ({
  owner,
}) => {
  const { page } = owner;
  const [rotor, rim] = [golden('brake-rotor'), golden('rim')];
  await owner.scan(rotor.path, rim.path, golden('meadow').path);
  const photos = page.getByRole('list', { name: 'Photos to scan together' });
  await expect(photos.getByRole('listitem')).toHaveCount(3);
  await owner.expectSound();
  await page.getByRole('button', { name: 'Remove photo 3' }).click();
  await expect(photos.getByRole('listitem')).toHaveCount(2);

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

test('more photos than a scan takes are said to be too many, and the first five stay', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.scan(...Array.from({ length: 6 }, () => golden('rim').path));
  await expect(page.getByRole('alert')).toHaveText(
    'A scan takes at most 5 photos of one part. Please choose the best ones.',
  );
  await expect(page.getByRole('button', { name: 'Scan 5 Photos' })).toBeEnabled();
  await owner.expectSound();
});

test('a scan whose answer is lost is counted once', async ({ owner }) => {
  const { page } = owner;
  // The server answers, and the answer does not arrive.
  await page.route(
    '**/api/identify',
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );
  await owner.scan(golden('brake-rotor').path, golden('brake-rotor').path);
  await page.getByRole('button', { name: 'Scan 2 Photos' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('button', { name: 'Scan 2 Photos' }).click();
  await expect(page.getByRole('region', { name: 'From 2 photos' })).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
});
