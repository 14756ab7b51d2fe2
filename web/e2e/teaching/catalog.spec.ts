import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';

/** Parts that people teach. */

test('a part is taught, found by the next scan, and unlearnt', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Profile');
  await page.getByRole('link', { name: 'Taught Parts' }).click();
  await page.getByRole('button', { name: 'Teach a Part' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Teach a Part' });
  await dialog.getByRole('button', { name: 'Teach' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Name the part as you call it.');
  await dialog.getByLabel('Name').fill('Meadow valve');
  await dialog.getByLabel('Category').selectOption('engine');
  await dialog.getByLabel('Add Photos').setInputFiles(golden('meadow').path);
  await expect(dialog.getByRole('img', { name: 'Photo 1' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await dialog.getByRole('button', { name: 'Teach' }).click();
  await expect(page.getByText('Part taught', { exact: true })).toBeVisible();

  await page.getByRole('link', { name: /Meadow valve/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Meadow valve' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await owner.goTo('Scan');
  await owner.scanAndWait(golden('meadow').path);
  await expect(page.getByRole('region', { name: 'Scan Results' })).toContainText('Meadow valve');

  await owner.open('/shop/taught/meadow-valve');
  await page.getByRole('button', { name: /^Delete photo 1, of/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('Photo deleted')).toBeVisible();
  await owner.expectSound();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('img', { name: /^Photo 1, of/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Photos' })).toBeFocused();

  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Part' });
  await expectSoundAtEveryWidth(owner);
  await edit.getByLabel('Name').fill('Brake rotor');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(edit).toContainText('Another part has this name.');
  await edit.getByLabel('Name').fill('Pasture valve');
  await edit.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pasture valve' })).toBeVisible();

  await page.getByRole('button', { name: 'Delete Pasture valve' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('This part is deleted.')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Undo deleting Pasture valve' }).click();
  await expect(page.getByRole('img', { name: /^Photo 1, of/ })).toBeVisible();
});

test('a photo that looks like another part is kept with one tap, and the two are marked', async ({
  owner,
}) => {
  const { page } = owner;
  // One word, as long as a name may be: wider than a phone.
  const name = 'Alloywheel'.padEnd(60, 'with17inchesand5spokes');
  await owner.open('/shop/taught?teach=new');
  const dialog = page.getByRole('dialog', { name: 'Teach a Part' });
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Category').selectOption('body');
  await dialog.getByLabel('Add Photos').setInputFiles(golden('brake-rotor').path);
  await dialog.getByRole('button', { name: 'Teach' }).click();
  const refusal = dialog.getByRole('alert');
  await expect(refusal).toContainText(
    /^Photo 1 looks like Brake Rotor\. If it does show this part, keep it/,
  );
  await expect(refusal).not.toContainText('acceptCollision');
  await expect(refusal.getByRole('img', { name: 'Photo 1' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await refusal.getByRole('button', { name: 'Keep It Anyway' }).click();
  await expect(page.getByText('Part taught', { exact: true })).toBeVisible();

  await owner.open(`/shop/taught/${name.toLowerCase()}`);
  const marked = page.getByRole('list', { name: 'Look-alikes' });
  await expect(marked.getByRole('link', { name: 'Brake Rotor' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Add Photos' }).click();
  const more = page.getByRole('dialog', { name: `Add Photos of ${name}` });
  await more.getByLabel('Add Photos').setInputFiles(golden('brake-rotor').path);
  await more.getByRole('button', { name: 'Teach' }).click();
  await expect(more.getByRole('alert')).toContainText('Photo 1 has been taught already.');
  await more.getByRole('button', { name: 'Remove Photo 1', exact: true }).click();
  await expect(more.getByRole('alert')).toHaveCount(0);

  await owner.open('/');
  await owner.scanAndWait(golden('brake-rotor').path);
  await expect(page.getByRole('region', { name: 'Scan Results' })).toContainText(name);
  await expectSoundAtEveryWidth(owner);
});

test('a part that nobody knows', async ({ owner }) => {
  await owner.open('/shop/taught/no-such-part');
  await expect(owner.page.getByText('This part is not in the catalogue.')).toBeVisible();
  await owner.expectSound();
});
