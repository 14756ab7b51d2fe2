import { dirname } from 'node:path';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';

/** Many photographs as one job. */

test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

test('send five photos, watch the answers come, correct two at once, and export', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.open('/batches');
  await page.getByLabel('Name of the batch').fill('Returns');
  await page.getByRole('button', { name: 'New Batch' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Returns' })).toBeVisible();
  await owner.expectSound();
  const names = ['brake-rotor', 'coil-spring', 'rim', 'double-exposure', 'meadow'] as const;
  await page.getByLabel('Photos or a zip').setInputFiles(names.map((name) => golden(name).path));
  await expect(page.getByText('5 of 5 files sent')).toBeVisible();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText(/^5 of 5 finished/)).toBeVisible();

  const grid = page.getByRole('listbox', { name: 'Photos with their answers' });
  const photo = (name: string) => grid.getByRole('option', { name: new RegExp(` ${name}`) });
  await expect(photo('meadow.png')).toHaveAccessibleName(/couldn't identify/);
  await expect(photo('rim.png').locator('img')).toHaveJSProperty('complete', true);
  await expectSoundAtEveryWidth(owner);

  await photo('rim.png').click();
  await photo('coil-spring.png').click({ modifiers: ['ControlOrMeta'] });
  await page.getByRole('combobox', { name: 'What 2 photos show' }).fill('clutch');
  await page
    .getByRole('listbox', { name: 'What 2 photos show' })
    .getByRole('option', { name: /Clutch/ })
    .first()
    .click();
  await expect(page.getByText('2 photos corrected.')).toBeVisible();
  await expect(photo('rim.png')).toHaveAccessibleName(/Clutch/);
  await owner.expectSound();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(photo('rim.png')).toHaveAccessibleName(/Rim/);

  // Two photos of one item: one entry, one answer, and apart again.
  await photo('rim.png').click();
  await photo('coil-spring.png').click({ modifiers: ['ControlOrMeta'] });
  await grid.press('j');
  await expect(page.getByText('Joined as one item.')).toBeVisible();
  await expect(grid.getByRole('option')).toHaveCount(4);
  await expect(grid.getByRole('option', { name: /2 photos of one item/ })).toBeVisible();
  await owner.expectSound();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(grid.getByRole('option')).toHaveCount(5);

  // A grade with damage, on the sheet and in the totals.
  await photo('brake-rotor.png').click();
  await grid.press('g');
  await page.getByText('Core', { exact: true }).click();
  await page.getByLabel('Bent').check();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Save Grade' }).click();
  await expect(photo('brake-rotor.png')).toHaveAccessibleName(/grade Core/);
  await page.getByRole('link', { name: 'Return Sheet' }).click();
  await expect(page.getByText('Bent')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await owner.open('/shop/grades');
  await expect(page.getByRole('columnheader', { name: 'Core' })).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await owner.open('/batches/past');
  const past = page.getByRole('listbox', { name: 'Photos with their answers' });
  await past.getByRole('option').first().click();
  await past.press('r');
  await expect(page.getByText('1 photo confirmed.')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  // Discarded there, it stays in the history, and can be put back.
  const shown = past.getByRole('option');
  await expect(shown).toHaveCount(3);
  await shown.first().click();
  await past.press('d');
  await expect(page.getByText('1 photo discarded.')).toBeVisible();
  await expect(shown).toHaveCount(2);
  await page.getByLabel('Show').selectOption('Discarded');
  await expect(shown).toHaveCount(1);
  await shown.click();
  await page.getByRole('button', { name: 'Put Back' }).click();
  await expect(page.getByText('No scans of this kind.')).toBeVisible();
  await page.goBack();
  await page.goBack();
  await page.goBack();

  // Discarded by a key, and put back.
  await photo('rim.png').click();
  await grid.press('d');
  await expect(page.getByText('1 photo discarded.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(photo('rim.png')).toBeVisible();

  await page.getByLabel('Number', { exact: true }).fill('coil sp');
  await expect(grid.getByRole('option')).toHaveCount(1);
  await expect(photo('coil-spring.png')).toBeVisible();
  await page.getByLabel('Number', { exact: true }).clear();
  await expect(grid.getByRole('option')).toHaveCount(5);
  await page.getByLabel('State').selectOption('No part found');
  await expect(grid.getByRole('option')).toHaveCount(1);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Results as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('batch.csv');
  const sheet = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Excel Sheet with Photos' }).click();
  expect((await sheet).suggestedFilename()).toBe('batch.xlsx');

  // The same files after a reload are there already.
  await page.reload();
  await page.getByLabel('Photos or a zip').setInputFiles([golden('rim').path]);
  await expect(page.getByText('1 photo was in the batch already.')).toBeVisible();
  await expect(page.getByText(/^5 of 5 finished/)).toBeVisible();
});

test.describe('with a folder of the server', () => {
  test.use({
    settings: { PARTSIGHT_PLAN: 'business', PARTSIGHT_BATCH_DIR: dirname(golden('rim').path) },
  });

  test('choose it, add it, and start', async ({ owner }) => {
    const { page } = owner;
    await owner.open('/batches');
    await page.getByLabel('Name of the batch').fill('From the server');
    await page.getByRole('button', { name: 'New Batch' }).click();
    await page.getByRole('button', { name: 'Folder of the Server' }).click();
    await expect(page.getByRole('dialog').getByText(/All folders: \d+ photos/)).toBeVisible();
    await expectSoundAtEveryWidth(owner);
    await page.getByRole('button', { name: 'Add and Start' }).click();
    await expect(page.getByText(/^\d+ photos added/)).toBeVisible();
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page.getByRole('option', { name: / rim\.png/ })).toBeVisible();
  });
});

test('a finger chooses several photos, a broken zip holds nothing up, and the keyboard keeps its place', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.open('/batches');
  await page.getByLabel('Name of the batch').fill('Pallet');
  await page.getByRole('button', { name: 'New Batch' }).click();
  await page.getByLabel('Photos or a zip').setInputFiles({
    name: 'pallet.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('no zip'),
  });
  await expect(page.getByRole('alert')).toContainText('pallet.zip was not taken');
  await expect(page.getByText('No photos yet.')).toBeVisible();
  await owner.expectSound();
  await page
    .getByLabel('Photos or a zip')
    .setInputFiles([golden('rim').path, golden('coil-spring').path]);
  await expect(page.getByText('2 of 2 files sent')).toBeVisible();
  await page.getByRole('button', { name: 'Start', exact: true }).press('Enter');
  await expect(page.getByText(/^2 of 2 finished/)).toBeVisible();
  await expect(page.getByRole('heading', { level: 2, name: 'Pallet' })).toBeFocused();

  const grid = page.getByRole('listbox', { name: 'Photos with their answers' });
  const photo = (name: string) => grid.getByRole('option', { name: new RegExp(` ${name}`) });
  // Two in a row, on a phone as well.
  const [rim, spring] = [await photo('rim').boundingBox(), await photo('coil').boundingBox()];
  expect(rim?.y).toBe(spring?.y);
  await photo('rim.png').tap();
  await photo('coil-spring.png').tap();
  const actions = page.getByRole('group', { name: 'Correct the chosen photos' });
  await expect(actions.getByRole('combobox', { name: 'What 2 photos show' })).toBeInViewport();
  await expectSoundAtEveryWidth(owner);
  await actions.getByRole('button', { name: 'Join' }).click();
  await expect(page.getByText('Joined as one item.')).toBeVisible();
  await expect(grid.getByRole('option')).toHaveCount(1);
  await owner.open('/batches');
  await page.getByRole('link', { name: 'Past Scans' }).click();
  await page.getByRole('link', { name: 'Shop', exact: true }).last().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Shop' })).toBeVisible();
});
