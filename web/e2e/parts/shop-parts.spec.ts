import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { teach } from '../catalog-vocabulary';
import { expect, golden, test } from '../fixtures';

/** The parts that a shop keeps. */

test('a part is made with photos and fitments, changed, deleted and brought back', async ({
  owner,
}) => {
  const { page } = owner;
  await teach(owner, 'EGR valve 47', [golden('meadow').path, golden('double-exposure').path]);
  await owner.open('/shop/parts');
  await expect(page.getByText('No parts yet')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  await page.getByRole('button', { name: 'Add Part' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add a Part' });
  await dialog.getByRole('button', { name: 'Add Part' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Choose which part it is');
  await dialog.getByRole('combobox').fill('egr valve 47');
  await dialog.getByRole('option', { name: /^EGR valve 47/ }).click();
  await dialog.getByLabel('Part number').fill('EG-4711');
  await dialog.getByLabel('Brand').fill('Pierburg');
  await dialog.getByLabel('Price').fill('89.50');
  await dialog.getByRole('checkbox', { name: /^Photo 2/ }).check();
  await dialog.getByRole('button', { name: 'Add Vehicles' }).click();
  const line = dialog.getByRole('group', { name: 'Fitment 1' });
  await line.getByLabel('Make').fill('Honda');
  await line.getByLabel('Model').fill('Civic');
  await line.getByLabel('From year').fill('2012');
  await expectSoundAtEveryWidth(owner);
  await dialog.getByRole('button', { name: 'Add Part' }).click();
  const list = page.getByRole('list', { name: 'Shop parts' });
  await expect(list.getByRole('listitem')).toContainText('Pierburg EG-4711');
  await expect(list.getByText('2012 on Honda Civic')).toBeVisible();
  await expect(list.getByText('1 photo')).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await page.getByRole('button', { name: 'Edit Pierburg EG-4711' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Pierburg EG-4711' });
  await expect(edit.getByText('EGR valve 47', { exact: true })).toBeVisible();
  await expect(edit.getByRole('checkbox', { name: /^Photo 2/ })).toBeChecked();
  await edit.getByLabel('Price').fill('a lot');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(edit.getByRole('alert')).toBeVisible();
  await expect(edit.getByLabel('Price')).toHaveValue('a lot');
  await edit.getByLabel('Price').fill('79.00');
  await edit.getByRole('checkbox', { name: /^Photo 1/ }).check();
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(list.getByText('$79.00')).toBeVisible();
  await expect(list.getByText('2 photos')).toBeVisible();

  await page.getByRole('button', { name: 'Delete Pierburg EG-4711' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete this part?' });
  await owner.expectSound();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo deleting Pierburg EG-4711' }).click();
  await expect(page.getByRole('button', { name: 'Edit Pierburg EG-4711' })).toBeVisible();
});

test('parts come in from a file, after a look at its rows, and go out as one', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.open('/shop/parts');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import Parts' });
  const choose = (text: string) =>
    dialog.getByLabel(/CSV, ACES|parts\.csv/).setInputFiles({
      name: 'parts.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
  await choose('number,brand,price\r\nLFR6-11,NGK,12.50\r\n');
  await expect(dialog.getByText('Nothing can be imported yet')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
  // The type that the rows lack can be said for all of them.
  await dialog.getByRole('combobox').fill('spark plug');
  await dialog
    .getByRole('option', { name: /^Spark Plug/ })
    .first()
    .click();
  await expect(dialog.getByText('Spark Plug', { exact: true })).toBeVisible();
  await expect(dialog.getByText('1 new part would be added.')).toBeVisible();
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByText('Import finished', { exact: true })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Shop parts' })).toContainText('NGK LFR6-11');
  for (const [name, file] of [
    ['CSV', /parts\.csv$/],
    ['ACES', /parts-aces\.xml$/],
    ['PIES', /parts-pies\.xml$/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    await owner.expectSound();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    expect((await download).suggestedFilename()).toMatch(file);
  }
});
