import {
  chromium,
  type Browser,
  type BrowserContextOptions,
  type Page,
  type TestInfo,
} from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { CHROMIUM_ARGS, CHROMIUM_PATH } from './chromium';
import { App, test as base } from './fixtures';

type Film = {
  /**
   * The page of an owner with a vehicle, in a browser that plays a film as its camera: the picture at this path, or
   * these JPEG frames, 30 a second, over and over.
   */
  filming: (film: string | Buffer[], options?: BrowserContextOptions) => Promise<App>;
};

export const test = base.extend<Film>({
  filming: async ({ page, server }, use, info) => {
    const browsers: Browser[] = [];
    await use(async (film, options) => {
      const browser = await playing(
        film instanceof Array ? film : [await jpegOf(film, page)],
        info,
      );
      browsers.push(browser);
      const app = new App(await (await browser.newContext(options)).newPage(), server);
      await app.prepareOwner();
      return app;
    });
    for (const browser of browsers) await browser.close();
  },
});

async function playing(frames: Buffer[], info: TestInfo): Promise<Browser> {
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

/** The picture as a camera would deliver it: 640x480 JPEG. `page` draws it. */
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
