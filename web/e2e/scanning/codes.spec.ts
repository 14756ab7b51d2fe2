import type { Page } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Schemas } from '@/api/client';
import { browserFilming } from '../camera-film';
import { App, expect, golden, test } from '../fixtures';

/** Codes: in the viewfinder, typed by a scanner, and on a photo. */

/** The number in the code on the drawing of a label. */
const NUMBER = '4006381333931';
const LABEL = join(import.meta.dirname, '../pictures/box-label.png');

/** A part of the shop under this number. */
const addPart = (app: App) =>
  app.post('/api/catalog/parts', {
    label: 'brake-pad',
    number: NUMBER,
    brand: 'Ate',
    name: 'Front pads',
  });

test('a code in the viewfinder leads to the part of the shop', async ({ page, server }, info) => {
  const browser = await browserFilming(LABEL, page, info);
  try {
    const context = await browser.newContext({ viewport: { width: 360, height: 760 } });
    const camera = new App(await context.newPage(), server);
    const decoders: string[] = [];
    camera.page.on('request', (request) => {
      if (/zxing[^/]*\.wasm$/.test(request.url())) decoders.push(new URL(request.url()).origin);
    });
    await camera.prepareOwner();
    await addPart(camera);
    await camera.open('/');
    const panel = camera.page.getByRole('region', { name: 'Scan a part' });
    await expect(panel.getByRole('status').first()).toHaveText('Ready');
    expect(decoders).toEqual([]);
    await panel.getByRole('button', { name: 'Start Camera' }).click();
    const code = panel.getByRole('status', { name: 'Code in view' });
    await expect(code).toContainText(NUMBER, { timeout: 60_000 });
    await expect(code).toContainText('EAN-13');
    // From our own server, and only once the camera ran.
    expect(decoders).toEqual([server.url]);
    await camera.expectSound();
    await code.getByRole('button', { name: 'Search' }).click();
    const dialog = camera.page.getByRole('dialog', { name: 'Find Part' });
    await dialog.getByRole('option', { name: /Front pads/ }).click();
    await expect(camera.page).toHaveURL(/\/shop\/parts\?part=/);
  } finally {
    await browser.close();
  }
});

test('a scanner that types finds a part from Home, and again from the field', async ({ owner }) => {
  const { page } = owner;
  await addPart(owner);
  await page.getByRole('button', { name: 'Upload from Gallery' }).focus();
  // What a person types at their own pace is no scan.
  await page.keyboard.type('4006', { delay: 150 });
  await page.keyboard.press('Tab');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.keyboard.type('8800417355');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Find Part' });
  await expect(dialog.getByRole('combobox')).toHaveValue('8800417355');
  await expect(dialog.getByText(/Nothing found for/)).toBeVisible();
  await owner.expectSound();
  // The next scan takes the place of the first, and its Enter is kept until the answer is there.
  await page.keyboard.press('Enter');
  await page.keyboard.type(NUMBER);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/shop\/parts\?part=/);
  await expect(dialog).toBeHidden();
});

test('a code on a photo is read with the text, and names its number', async ({ owner }, info) => {
  const { page } = owner;
  await addPart(owner);
  const photo = info.outputPath('brake-rotor-with-code.png');
  await writeFile(photo, await withLabel(page, golden('brake-rotor').path, LABEL));
  const answer = page.waitForResponse(/\/api\/identify$/);
  await owner.scan(photo);
  const response = await answer;
  expect(response.ok(), await response.text()).toBe(true);
  const read = page.getByRole('region', { name: 'Read on the Part' });
  const line = read.getByRole('listitem').filter({ hasText: NUMBER }).first();
  await expect(line).toContainText('EAN-13', { timeout: 60_000 });
  await owner.expectSound();
  const { id } = (await response.json()) as { id: string };
  const reading = (await owner.call('get', `/api/scans/${id}/reading`)) as Schemas['ScanReading'];
  expect(reading.lines.find(({ kind }) => kind === 'barcode')?.number).toBe(NUMBER);
});

/** The photo at `path`, twice as large, with the label in its lower left corner: PNG. */
async function withLabel(page: Page, path: string, label: string): Promise<Buffer> {
  const sources = await Promise.all(
    [path, label].map(
      async (file) => `data:image/png;base64,${(await readFile(file)).toString('base64')}`,
    ),
  );
  const png = await page.evaluate(async (addresses) => {
    const [photo, sticker] = await Promise.all(
      addresses.map(async (address) => {
        const image = new Image();
        image.src = address;
        await image.decode();
        return image;
      }),
    );
    if (photo === undefined || sticker === undefined) throw new Error('A picture is missing.');
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2 * photo.width, 2 * photo.height];
    const context = canvas.getContext('2d');
    context?.drawImage(photo, 0, 0, canvas.width, canvas.height);
    // Without the ground of the drawing around the label.
    context?.drawImage(sticker, 100, 120, 440, 240, 20, canvas.height - 260, 440, 240);
    return canvas.toDataURL('image/png');
  }, sources);
  return Buffer.from(png.slice(png.indexOf(',') + 1), 'base64');
}
