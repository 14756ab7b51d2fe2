import { join } from 'node:path';
import type { Schemas } from '@/api/client';
import { test } from '../camera-film';
import { addressOf, expect, golden, type App } from '../fixtures';

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

test('a code in the viewfinder leads to the part of the shop', async ({ filming, server }) => {
  const camera = await filming(LABEL, { viewport: { width: 360, height: 760 } });
  const decoders: string[] = [];
  camera.page.on('request', (request) => {
    if (/zxing[^/]*\.wasm$/.test(request.url())) decoders.push(new URL(request.url()).origin);
  });
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

test('a code on a photo is read with the text, and names its number', async ({ owner }) => {
  const { page } = owner;
  await addPart(owner);
  // The label lies in the lower left corner, without the ground of the drawing around it.
  const photo = await owner.photograph(
    1280,
    854,
    `<body style="margin:0;background:url(${addressOf(golden('brake-rotor').path)}) 0 0/100% 100%;height:854px">
       <div style="position:absolute;left:20px;bottom:20px;width:440px;height:240px;background:url(${addressOf(LABEL)}) -100px -120px"></div>
     </body>`,
  );
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
