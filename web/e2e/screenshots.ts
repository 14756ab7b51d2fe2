import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, golden, test } from './fixtures';

/** Takes the picture of the README. The photograph in it is a drawing of the model. */

const PATH = resolve(import.meta.dirname, '../screenshots/home-result.png');
const MAX_BYTES = 200_000;

test.use({
  // A counted plan would show a warning that is about the account and not about the product.
  settings: { PARTSIGHT_PLAN: 'pro' },
  deviceScaleFactor: 1,
  viewport: { width: 1280, height: 800 },
});

test('home with a result', async ({ owner }) => {
  const { page } = owner;
  await owner.scanAndWait(golden('brake-rotor').path);
  await expect(page.getByRole('article', { name: 'RockAuto' })).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.screenshot({ path: PATH, animations: 'disabled' });
  expect((await stat(PATH)).size, `${PATH}: bytes`).toBeLessThan(MAX_BYTES);
});
