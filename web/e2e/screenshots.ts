import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, golden, test, type App } from './fixtures';

/** Takes the pictures of the README. The photographs in them are the drawings of the model. */

const FOLDER = resolve(import.meta.dirname, '../screenshots');
const MAX_BYTES = 200_000;

// A counted plan would show a warning that is about the account and not about the product.
test.use({ settings: { PARTSIGHT_PLAN: 'pro' }, deviceScaleFactor: 1 });

test.describe('on a wide screen', () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test('home with a result', async ({ owner }) => {
    await owner.scanAndWait(golden('brake-rotor').path);
    await take(owner, 'home-result');
  });

  test('instructions', async ({ owner }) => {
    await owner.scanAndWait(golden('brake-rotor').path);
    const tab = owner.page.getByRole('tab', { name: 'Instructions' });
    await tab.click();
    // Drawings come after the words.
    await expect(owner.page.getByText('Where It Sits')).toBeVisible();
    await expect(owner.page.getByText(/^Good: /)).toBeVisible();
    await tab.evaluate((node) => node.scrollIntoView());
    await take(owner, 'instructions');
  });
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('result', async ({ owner }) => {
    await owner.scanAndWait(golden('brake-rotor').path);
    await take(owner, 'phone-result');
  });
});

async function take({ page }: App, name: string) {
  await expect(
    page.getByRole('article', { name: 'RockAuto' }).or(page.getByText('Safety first')),
  ).toBeVisible();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const path = `${FOLDER}/${name}.png`;
  await page.screenshot({ path, animations: 'disabled' });
  expect((await stat(path)).size, `${path}: bytes`).toBeLessThan(MAX_BYTES);
}
