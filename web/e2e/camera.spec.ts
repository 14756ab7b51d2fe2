import { chromium, type Page } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { CHROMIUM_ARGS, CHROMIUM_PATH } from './chromium';
import { App, expect, golden, test } from './fixtures';

test('a part held before the camera is captured and identified', async ({ page, server }, info) => {
  // The browser plays this film as its camera: a golden drawing, as Motion JPEG of one picture.
  const film = info.outputPath('camera.mjpeg');
  await writeFile(film, await jpegOf(golden('brake-rotor').path, page));

  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      ...CHROMIUM_ARGS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${film}`,
    ],
  });
  try {
    const camera = new App(await (await browser.newContext()).newPage(), server);
    await camera.prepareOwner();
    await camera.open('/');
    const panel = camera.page.getByRole('region', { name: 'Scan a part' });
    await expect(panel.getByRole('status')).toHaveText('Ready');
    await panel.getByRole('button', { name: 'Start Camera' }).click();
    await expect(panel.getByRole('status')).toHaveText('Video Ready');
    await camera.expectSound();
    // The model in the browser, before anything is uploaded.
    await expect(panel.getByText('Looks like: Brake Rotor')).toBeVisible({ timeout: 30_000 });

    const answer = camera.page.waitForResponse(/\/api\/identify$/);
    await panel.getByRole('button', { name: 'Capture' }).click();
    const result = (await (await answer).json()) as { identification: { label: string } };
    expect(result.identification.label).toBe(golden('brake-rotor').label);
    await expect(camera.page.getByRole('region', { name: 'Scan Results' })).toBeVisible();

    await panel.getByRole('button', { name: 'Stop' }).click();
    await expect(panel.getByRole('status')).toHaveText('Ready');
  } finally {
    await browser.close();
  }
});

test('a camera that is refused says how to go on', async ({ owner }) => {
  const { page } = owner;
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
  });
  await page.getByRole('button', { name: 'Start Camera' }).click();
  await expect(page.getByRole('alert')).toHaveText(/^Camera error: access was refused\./);
  await expect(page.getByRole('status')).toHaveText('Error');
  await owner.expectSound();
});

/** The picture as a camera would deliver it: 640x480 JPEG. */
async function jpegOf(path: string, page: Page): Promise<Buffer> {
  const source = `data:image/png;base64,${(await readFile(path)).toString('base64')}`;
  const jpeg = await page.evaluate(async (address) => {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = 640;
    canvas.height = 480;
    const context = canvas.getContext('2d');
    context?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL('image/jpeg', 0.95);
  }, source);
  return Buffer.from(jpeg.slice(jpeg.indexOf(',') + 1), 'base64');
}
