import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PNG } from 'pngjs';
import { expect, golden, test, type App } from '../fixtures';

/** What happens to a photograph before it is sent. */

const sentSize = async (app: App, act: () => Promise<void>) => {
  const request = app.page.waitForRequest(/\/api\/identify$/);
  await act();
  return (await request).postDataBuffer()?.length ?? 0;
};

test('a photo is cropped with the keyboard and scanned', async ({ owner }) => {
  const { page } = owner;
  await page.getByRole('checkbox', { name: 'Crop before sending' }).check();
  await owner.scan(golden('brake-rotor').path);
  const dialog = page.getByRole('dialog', { name: 'Crop the Photo' });
  await expect(dialog.getByRole('img', { name: 'The photo to crop' })).toBeVisible();
  await owner.expectSound();
  await dialog.getByRole('button', { name: 'Bottom right corner' }).focus();
  await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await expect(dialog).toContainText('90% of the width, 98% of the height');
  await dialog.getByRole('button', { name: 'Crop and Scan' }).click();
  await expect(page.getByRole('region', { name: 'Scan Results' })).toBeVisible();
  // The choice outlives the page.
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'Crop before sending' })).toBeChecked();
});

test('a photo is cropped with a finger', async ({ owner }) => {
  const { page } = owner;
  await page.getByRole('checkbox', { name: 'Crop before sending' }).check();
  await owner.scan(golden('rim').path);
  const dialog = page.getByRole('dialog', { name: 'Crop the Photo' });
  const photo = await dialog.getByRole('img').boundingBox();
  if (photo === null) throw new Error('the photo is not on screen');
  await page.mouse.move(photo.x, photo.y);
  await page.mouse.down();
  await page.mouse.move(photo.x + photo.width / 2, photo.y + photo.height / 4, { steps: 4 });
  await page.mouse.up();
  await expect(dialog).toContainText('50% of the width, 75% of the height');
  await dialog.getByRole('button', { name: 'Send Whole Photo' }).click();
  await expect(page.getByRole('region', { name: 'Scan Results' })).toBeVisible();
});

test('a HEIC photo is scanned in a browser that does not know its type', async ({ owner }) => {
  const { page } = owner;
  const answered = page.waitForResponse(/\/api\/identify$/);
  await page.getByLabel('Photo of the part').setInputFiles({
    name: 'IMG_0001.HEIC',
    mimeType: '',
    buffer: await readFile(
      resolve(import.meta.dirname, '../../../crates/inference/tests/fixtures/single.heic'),
    ),
  });
  // The server has read it: what it says is about the drawing, and not about the file.
  expect(await (await answered).json()).toMatchObject({ code: 'not-identified' });
  await expect(page.getByRole('dialog', { name: 'Analysis Failed' })).toBeVisible();
});

test('a photo of 40 megapixels is made smaller before it is sent', async ({ owner }, info) => {
  test.slow();
  const { page } = owner;
  // Noise, so that the file is as large as a photograph's.
  const png = new PNG({ width: 7300, height: 5500, colorType: 2 });
  const drawing = PNG.sync.read(await readFile(golden('brake-rotor').path));
  let seed = 1;
  for (let at = 0; at < png.data.length; at += 4) {
    const pixel = at / 4;
    const x = Math.floor(((pixel % png.width) / png.width) * drawing.width);
    const y = Math.floor((Math.floor(pixel / png.width) / png.height) * drawing.height);
    seed = (seed * 1103515245 + 12345) % 2147483648;
    for (let channel = 0; channel < 3; channel += 1) {
      png.data[at + channel] =
        (drawing.data[4 * (y * drawing.width + x) + channel] ?? 0) ^ ((seed >> 16) & 1);
    }
    png.data[at + 3] = 255;
  }
  const path = info.outputPath('large.png');
  const file = PNG.sync.write(png, { deflateLevel: 1 });
  await writeFile(path, file);
  expect(file.length).toBeGreaterThan(4_000_000);
  const sent = await sentSize(owner, () => owner.scan(path));
  expect(sent).toBeLessThan(2_000_000);
  await expect(page.getByRole('region', { name: 'Scan Results' })).toContainText('Brake Rotor', {
    timeout: 60_000,
  });
});
