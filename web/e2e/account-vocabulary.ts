import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, type App } from './fixtures';

/** The widths that screens are looked at: a phone, a tablet, a desk. */
const WIDTHS = [360, 768, 1440];

/** `expectSound` at each width, and back to the width before. */
export async function expectSoundAtEveryWidth(app: App) {
  const before = app.page.viewportSize();
  for (const width of WIDTHS) {
    await app.page.setViewportSize({ width, height: 900 });
    await app.expectSound();
  }
  if (before !== null) await app.page.setViewportSize(before);
}

/**
 * The address in the last mail to `to` whose text has `part`, on the page's own host.
 *
 * A server without a mail server writes its mails into a folder.
 */
export async function mailedLink(app: App, to: string, part: string): Promise<string> {
  const folder = join(app.server.dataDir, 'mail');
  let path: string | undefined;
  await expect(async () => {
    const names = (await readdir(folder)).sort();
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    const mail = mails.findLast((text) => text.includes(`To: ${to}`) && text.includes(part));
    path = mail === undefined ? undefined : /https?:\/\/[^/\s]+(\/\S+)/.exec(mail)?.[1];
    expect(path, `a mail to ${to} with ${part}`).toBeDefined();
  }).toPass({ timeout: 60_000 });
  return path ?? '';
}
