import { join } from 'node:path';
import { expect, golden, test } from '../fixtures';

/** The VIN of a vehicle, read from a photo. */

const LABEL = join(import.meta.dirname, '../pictures/vin-label.png');

test('a photo of the door jamb fills in the VIN and the car', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/vehicle');
  await page.getByRole('button', { name: 'Add Vehicle' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  const photo = dialog.getByLabel('Photo of the VIN');

  await photo.setInputFiles(golden('meadow').path);
  await expect(dialog.getByText(/No VIN was found on the photo/)).toBeVisible();
  await expect(dialog.getByLabel('VIN', { exact: true })).toHaveValue('');
  await photo.setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: Buffer.from('no photo'),
  });
  await expect(dialog.getByRole('alert')).toBeVisible();
  await owner.expectSound();

  await photo.setInputFiles(LABEL);
  await expect(dialog.getByLabel('VIN', { exact: true })).toHaveValue('1HGCM82633A004352');
  await expect(dialog.getByText('Read from the code. Its check digit fits.')).toBeVisible();
  await expect(dialog.getByRole('alert')).toHaveCount(0);
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Fill in from VIN' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Make' })).toHaveValue('Honda');
});
