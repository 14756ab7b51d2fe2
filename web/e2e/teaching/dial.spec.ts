import type { Schemas } from '@/api/client';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';

/** How many wrong answers a shop accepts. */

test('another choice is made by the keyboard and holds for the next scan', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/shop/accuracy');
  const card = page.getByRole('region', { name: 'How Sure an Answer Must Be' });
  const own = card.getByRole('radio', { name: 'As the model suggests' });
  await expect(own).toBeChecked();
  await expect(card.getByRole('radio')).toHaveCount(5);
  await card.getByText('The choices as a drawing').click();
  await expect(card.getByRole('img')).toHaveAccessibleName(/At most 5% wrong: \d+% of the photos/);
  await card.getByText('Where the figures come from').click();
  await expect(card.getByText(/Measured on 493 photos/)).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await own.focus();
  await page.keyboard.press('ArrowDown');
  const strict = card.getByRole('radio', { name: 'At most 1% wrong' });
  await expect(strict).toBeChecked();
  await expect(strict).toHaveAccessibleDescription(/^Not promised/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const chosen = card.getByRole('radio', { name: 'At most 5% wrong' });
  await expect(chosen).toBeChecked();
  await expect(card.getByText('Not saved yet.')).toBeVisible();
  await owner.expectSound();
  await page.route('**/api/dial', (route) => route.abort());
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByRole('alert')).toContainText('The server cannot be reached');
  await expect(chosen).toBeChecked();
  await page.unroute('**/api/dial');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByText('Saved.')).toBeVisible();
  await owner.expectSound();

  await page.reload();
  await expect(chosen).toBeChecked();
  await expect(chosen).toHaveAccessibleDescription(/^In force/);
  await owner.goTo('Scan');
  await owner.scanAndWait(golden('brake-rotor').path);
  const [scan] = (await owner.call('get', '/api/scans/recent')) as Schemas['RecentScan'][];
  const dial = (await owner.call('get', '/api/dial')) as Schemas['Dial'];
  const asked = dial.choices.find(({ maxWrongPercent }) => maxWrongPercent === 5);
  expect(asked?.identifiedConfidence).toBeLessThan(dial.modelIdentifiedConfidence);
  expect(scan?.receipt.identifiedConfidence).toBeCloseTo(asked?.identifiedConfidence ?? 1, 5);
});
