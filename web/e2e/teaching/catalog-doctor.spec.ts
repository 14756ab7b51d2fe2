import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { teach } from '../catalog-vocabulary';
import { expect, golden, test } from '../fixtures';

/** The check of the photos that teach the scanner. */

test('doubtful photos are found, and lead to their part', async ({ owner }) => {
  const { page } = owner;
  const photo = (name: Parameters<typeof golden>[0]) => golden(name).path;
  await teach(owner, 'EGR valve 47', [photo('meadow'), photo('rim')]);
  await teach(owner, 'EGR valve 48', [photo('double-exposure'), photo('coil-spring')]);
  await teach(owner, 'EGR valve 49', [photo('brake-rotor')]);
  await owner.open('/shop/taught');
  await page.getByRole('link', { name: 'Check Photos' }).click();
  await expect(page.getByText('The model knows 5 of 5 photos.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(/^Of 4 photos/);
  const few = page.getByRole('region', { name: 'Too few photos' });
  await expect(few.getByText('EGR valve 49')).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await few.getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'EGR valve 49' })).toBeVisible();
  await teach(owner, 'EGR valve 50', [photo('rim'), photo('meadow')]);
  await owner.open('/shop/photo-check');
  await expect(page.getByRole('region', { name: 'Summary' })).toContainText(/^Of 6 photos/);
  await expectSoundAtEveryWidth(owner);
});
