import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { expect, type App } from './fixtures';

/** Teaches a part by a call, for tests that are about something else. Photos of other parts are kept all the same. */
export async function teach({ page, server }: App, name: string, photoPaths: string[]) {
  const form = new FormData();
  form.append('name', name);
  form.append('category', 'engine');
  form.append('acceptCollision', 'true');
  for (const path of photoPaths) {
    const photo = new Blob([await readFile(path)], { type: 'image/png' });
    form.append('image', photo, basename(path));
  }
  const response = await page.request.post(`${server.url}/api/catalog/types`, { multipart: form });
  expect(response.ok(), await response.text()).toBe(true);
}
