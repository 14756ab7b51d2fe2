import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, test } from '../fixtures';

/** Which part numbers mean one part, by lists of the shop. */

test.describe('on Business', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('a list is checked, saved, followed by the search, deleted and brought back', async ({
    owner,
  }) => {
    const { page } = owner;
    await owner.open('/shop/cross-references');
    await expect(page.getByText('No cross-references yet')).toBeVisible();
    await expectSoundAtEveryWidth(owner);
    await page.getByRole('button', { name: 'Upload a List' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Upload Cross-References' });
    const check = dialog.getByRole('button', { name: 'Check the List' });
    await check.click();
    const name = dialog.getByRole('textbox', { name: 'Name of the list' });
    await expect(name).toBeFocused();
    await expect(name).toHaveAccessibleDescription('Enter a name for the list.');
    await name.fill('OE numbers');
    await dialog.getByLabel(/CSV file/).setInputFiles({
      name: 'oe.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'Number;Brand;Relation;Theirs;OE Brand\r\n' +
          '0 986 479 R51;Bosch;equals;1K0 615 301 AA;VW\r\n' +
          '1K0 615 301 AA;VW;replaces;1K0 615 301 K;VW\r\n' +
          'A-1;;equals;a1;\r\n',
      ),
    });
    await dialog.getByText('Columns', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Other number' }).selectOption('Theirs');
    await check.click();
    const upload = dialog.getByRole('button', { name: 'Upload', exact: true });
    await expect(dialog.getByRole('row', { name: /^4 Error.*refers to itself/ })).toBeVisible();
    await expect(dialog.getByText('Bosch 0 986 479 R51 equals VW 1K0 615 301 AA')).toBeVisible();
    await expect(upload).toBeDisabled();
    await expectSoundAtEveryWidth(owner);
    // Until it is said that it may be left out, the row with the error holds the list up.
    await dialog.getByLabel(/^Leave out the rows with errors/).check();
    await upload.click();
    await expect(page.getByText('Cross-references uploaded', { exact: true })).toBeVisible();
    const list = page.getByRole('list', { name: 'Cross-references' });
    await expect(list.getByRole('listitem')).toContainText(/OE numbers.*2 rows/);
    await expectSoundAtEveryWidth(owner);

    // A number of the list finds the part that the shop has under another one.
    const part = { label: 'brake-rotor', number: '0986479R51', brand: 'Bosch' };
    await owner.post('/api/catalog/parts', part);
    const [found] = (await owner.call('get', '/api/parts/search?q=1K0615301K')) as object[];
    expect(found).toMatchObject({ number: '0986479R51', via: { link: 'newer' } });

    await page.getByRole('button', { name: 'Delete OE numbers' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete these cross-references?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('button', { name: 'Undo deleting OE numbers' }).click();
    await expect(page.getByRole('button', { name: 'Delete OE numbers' })).toBeVisible();
  });
});
