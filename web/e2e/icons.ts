import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from '@playwright/test';

/** Draws the icons of the installed app from the mark, `public/favicon.svg`. */

const PUBLIC = resolve(import.meta.dirname, '../public');
const CANVAS = '#0b0f13';

/** `mark` is the share of the side that the mark takes; systems cut a maskable icon to 80% (W3C, "Maskable icons"). */
const ICONS = [
  { name: 'icon-192', side: 192, mark: 1, background: 'transparent' },
  { name: 'icon-512', side: 512, mark: 1, background: 'transparent' },
  { name: 'maskable-512', side: 512, mark: 0.62, background: CANVAS },
  // iOS puts round corners on by itself and makes what is transparent black.
  { name: 'apple-touch-icon', side: 180, mark: 0.82, background: CANVAS },
];

for (const { name, side, mark, background } of ICONS) {
  test(name, async ({ page }) => {
    const svg = (await readFile(resolve(PUBLIC, 'favicon.svg'))).toString('base64');
    await page.setViewportSize({ width: side, height: side });
    await page.setContent(
      `<style>html { background: ${background} } body { margin: 0; height: 100vh; display: grid; place-items: center }</style>
       <img src="data:image/svg+xml;base64,${svg}" width="${side * mark}" height="${side * mark}">`,
    );
    await page.locator('img').evaluate((image: HTMLImageElement) => image.decode());
    await page.screenshot({
      path: resolve(PUBLIC, 'icons', `${name}.png`),
      omitBackground: background === 'transparent',
    });
  });
}
