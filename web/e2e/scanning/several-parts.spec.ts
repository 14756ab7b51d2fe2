import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { addressOf, expect, golden, test, type App } from '../fixtures';

/** Several parts on one photograph. The photographs are composed here of the drawings that ship with the model. */

const PARTS = ['brake-rotor', 'rim', 'coil-spring'] as const;

test('the parts on a table are found, moved, deleted, brought back and there again', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.scanAndWait(await table(owner, PARTS));
  // Of three at once the whole picture says little.
  await expect(page.getByText(/^Not sure/).first()).toBeVisible();
  await page.getByRole('button', { name: 'Several parts in this picture?' }).click();
  const panel = panelOf(page);
  await expect(panel.getByText(/^3 parts were found: /)).toBeVisible();
  const boxes = panel.getByRole('button', { name: /^Box \d/ });
  await expect(boxes).toHaveCount(3);
  await expect(panel.getByRole('listitem').first()).toContainText('Brake Rotor');
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  // By keys: moved, which is to be looked at again, and deleted.
  await boxes.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await expect(panel.getByRole('button', { name: 'Box 1: not answered yet' })).toBeFocused();
  await panel.getByRole('button', { name: /^Box 2/ }).focus();
  await page.keyboard.press('Delete');
  await expect(boxes).toHaveCount(2);
  await panel.getByRole('button', { name: 'Undo deleting box 2' }).click();
  await expect(boxes).toHaveCount(3);
  await panel.getByRole('button', { name: /^Delete box 3/ }).click();
  await owner.expectSound();
  await panel.getByRole('button', { name: 'Look at 1 Changed Box' }).click();
  await expect(panel.getByText(/^2 parts were found: /)).toBeVisible();

  // A box that a person drew by mouse, and said what is in it.
  await panel.getByRole('button', { name: 'Add Box' }).click();
  const added = panel.getByRole('button', { name: /^Box 3/ });
  const place = await added.boundingBox();
  if (place === null) throw new Error('the box is not seen');
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2);
  await page.mouse.down();
  await page.mouse.move(place.x + place.width / 2 + 60, place.y + place.height / 2, { steps: 4 });
  await page.mouse.up();
  await panel.getByRole('button', { name: /^Correct box 3/ }).click();
  await panel.getByRole('combobox', { name: 'Which part is in box 3?' }).fill('coil spring');
  await page.getByRole('option', { name: 'Coil Spring Suspension' }).click();
  await panel.getByRole('button', { name: 'Look at 1 Changed Box' }).click();
  await expect(panel.getByRole('listitem').nth(2)).toContainText('By you');
  await expect(page.getByText('Scans used 1/2')).toBeVisible();

  const download = page.waitForEvent('download');
  await panel.getByRole('link', { name: 'Save as CSV' }).click();
  const csv = await readFile(await (await download).path(), 'utf8');
  expect(csv.split('\r\n')).toHaveLength(5);
  expect(csv).toContain('3,Coil Spring,coil-spring,corrected');

  // It is kept with the scan.
  await owner.goTo('History');
  await page.getByRole('button', { name: /match/ }).first().click();
  await page.getByRole('button', { name: 'Several parts in this picture?' }).click();
  await expect(panel.getByText(/^3 parts were found: /)).toBeVisible();
  await expectSoundAtEveryWidth(owner);
});

test('a photo that says nothing as a whole is looked at for parts', async ({ owner }) => {
  const { page } = owner;
  await owner.scan(golden('meadow').path);
  const looked = page.waitForResponse(/\/api\/identify\?several=true$/);
  await page.getByRole('button', { name: 'Look for Several Parts' }).click();
  expect((await looked).status()).toBe(422);
  // There is none, which is said as before.
  await expect(page.getByRole('dialog', { name: 'Analysis Failed' })).toBeVisible();
  await owner.expectSound();
});

const panelOf = (page: Page) => page.getByRole('region', { name: 'Parts in this picture' });

/** A photograph of parts beside each other on a grey table. */
function table(app: App, names: readonly Parameters<typeof golden>[0][]) {
  const pictures = names.map(
    (name) => `<img src="${addressOf(golden(name).path)}" style="width:320px;height:320px">`,
  );
  return app.photograph(
    1200,
    480,
    `<body style="margin:0;background:#787c82;display:flex;justify-content:space-around;align-items:center;height:480px">
       ${pictures.join('')}
     </body>`,
  );
}
