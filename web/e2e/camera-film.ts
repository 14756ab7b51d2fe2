import { chromium, type Browser, type Page, type TestInfo } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { CHROMIUM_ARGS, CHROMIUM_PATH } from './chromium';

/**
 * A browser that plays a film as its camera: the picture at `path`, as Motion JPEG of one frame.
 *
 * `page` draws the film; whoever calls closes the browser.
 */
export async function browserFilming(path: string, page: Page, info: TestInfo): Promise<Browser> {
  return browserPlaying([await jpegOf(path, page)], info);
}

/** A browser whose camera shows these JPEG frames, 30 a second, over and over. Whoever calls closes it. */
export async function browserPlaying(frames: Buffer[], info: TestInfo): Promise<Browser> {
  const film = info.outputPath('camera.mjpeg');
  await writeFile(film, Buffer.concat(frames));
  return chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      ...CHROMIUM_ARGS,
      '--use-fake-device-for-media-stream',
      '--use-fake-ui-for-media-stream',
      `--use-file-for-fake-video-capture=${film}`,
    ],
  });
}

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
