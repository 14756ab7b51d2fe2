import { addressOf, expect, golden, test, type App } from '../fixtures';
import { expectSoundAtEveryWidth } from '../account-vocabulary';

/** The text on a photograph: marked, copied, searched for and corrected. The photographs are drawn here. */

test.use({
  settings: { PARTSIGHT_PLAN: 'business' },
  permissions: ['clipboard-read', 'clipboard-write'],
});

test('a number on a part is read, marked, copied, searched for and corrected', async ({
  owner,
}) => {
  const { page } = owner;
  const part = { number: '27060-0L022', brand: 'Toyota', name: 'Long rotor' };
  await owner.post('/api/catalog/parts', { label: 'brake-rotor', ...part });
  await scanLabel(owner, ['TOYOTA', '27060-0L022', 'MADE IN JAPAN']);
  const panel = page.getByRole('region', { name: 'Read on the part' });
  const number = panel.getByRole('listitem').filter({ hasText: '27060-0L022' });
  await expect(number.getByText('Part number')).toBeVisible();
  // What tells which part it is comes first.
  await expect(panel.getByRole('listitem').first()).toContainText('27060-0L022');
  await expectSoundAtEveryWidth(owner);

  await panel.getByRole('button', { name: 'Show on the Photo' }).click();
  const photo = panel.getByRole('img', { name: /^Your photo, with .* of text marked$/ });
  await expect(photo).toBeVisible();
  expect(await panel.locator('polygon').count()).toBe(await panel.getByRole('listitem').count());
  await expectSoundAtEveryWidth(owner);

  await number.getByRole('button', { name: 'Copy 27060-0L022' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('27060-0L022');

  await number.getByRole('button', { name: 'Search for 27060-0L022' }).click();
  const search = number.getByRole('combobox', { name: 'Find a part with 27060-0L022' });
  await expect(search).toBeFocused();
  await expect(page.getByRole('option', { name: /Long rotor/ })).toBeVisible();
  await owner.expectNoOverflow();
  await number.getByRole('button', { name: 'Search for 27060-0L022' }).click();

  const country = panel.getByRole('listitem').filter({ hasText: 'JAPAN' });
  await country.getByRole('button', { name: /^Correct/ }).click();
  const field = country.getByRole('textbox', { name: 'What it says' });
  await expect(field).toBeFocused();
  await field.fill('MADE IN CHINA');
  await field.press('Escape');
  await expect(country.getByRole('button', { name: /^Correct/ })).toBeFocused();
  await country.getByRole('button', { name: /^Correct/ }).click();
  await field.fill('MADE IN CHINA');
  await field.press('Enter');
  const corrected = panel.getByRole('listitem').filter({ hasText: 'MADE IN CHINA' });
  await expect(corrected.getByText(/^read as .*JAPAN/)).toBeVisible();
  await expect(corrected.getByRole('button', { name: 'Correct MADE IN CHINA' })).toBeFocused();
  await expectSoundAtEveryWidth(owner);

  // It is kept with the scan.
  await owner.goTo('History');
  await page.getByRole('button', { name: /match/ }).first().click();
  await expect(page.getByText('MADE IN CHINA')).toBeVisible();
});

/** Scans the drawing of a brake rotor with some lines printed below it. */
async function scanLabel(owner: App, lines: string[]) {
  const photo = await owner.photograph(
    1000,
    1100,
    `<body style="margin:0;background:#fff;color:#111;text-align:center;font:bold 56px Arial,sans-serif">
       <img src="${addressOf(golden('brake-rotor').path)}" style="height:760px;margin:20px auto;display:block">
       ${lines.map((line) => `<div style="line-height:1.7">${line}</div>`).join('')}
     </body>`,
  );
  await owner.scanAndWait(photo);
}
