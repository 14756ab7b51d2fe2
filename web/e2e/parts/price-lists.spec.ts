import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, test } from '../fixtures';

/** The price lists that a shop has from its suppliers. */

test.describe('on Business', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('a list is mapped, checked, saved, deleted and brought back', async ({ owner }) => {
    const { page } = owner;
    await owner.open('/shop/price-lists');
    await expect(page.getByText('No price lists yet')).toBeVisible();
    await expectSoundAtEveryWidth(owner);
    await page.getByRole('button', { name: 'Upload a List' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Upload a Price List' });
    const check = dialog.getByRole('button', { name: 'Check the List' });
    await check.click();
    const supplier = dialog.getByRole('textbox', { name: 'Supplier', exact: true });
    await expect(supplier).toBeFocused();
    await expect(supplier).toHaveAccessibleDescription('Enter who sells at these prices.');
    await supplier.fill('Lee Parts');
    await dialog.getByLabel(/CSV file/).setInputFiles({
      name: 'lee.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'what;we ask\r\nBrake Rotor;41.90\r\nSpark Plug;7.20\r\nOil Filter;free\r\n;3.10\r\n',
      ),
    });
    await dialog.getByText('Columns', { exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Part name' }).selectOption('what');
    await dialog.getByRole('combobox', { name: 'Price', exact: true }).selectOption('we ask');
    await expectSoundAtEveryWidth(owner);
    await check.click();
    const upload = dialog.getByRole('button', { name: 'Upload', exact: true });
    await expect(dialog.getByRole('row', { name: /^5 Error/ })).toBeVisible();
    await expect(upload).toBeDisabled();
    await expectSoundAtEveryWidth(owner);
    // Until it is said that it may be left out, the row with the error holds the list up.
    await dialog.getByLabel(/^Leave out the rows with errors/).check();
    await upload.click();
    await expect(page.getByText('Price list uploaded', { exact: true })).toBeVisible();
    const list = page.getByRole('list', { name: 'Price lists' });
    await expect(list.getByRole('listitem')).toContainText(/Lee Parts.*2 prices/);
    await expectSoundAtEveryWidth(owner);

    await page.getByRole('button', { name: 'Delete Lee Parts' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete this price list?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await page.getByRole('button', { name: 'Undo deleting Lee Parts' }).click();
    await expect(page.getByRole('button', { name: 'Delete Lee Parts' })).toBeVisible();
  });
});
