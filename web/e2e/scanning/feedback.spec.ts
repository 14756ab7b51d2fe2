import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';

/** What people say of a scan. */

test('an answer is given, changed, kept with the scan, and taken back', async ({ owner }) => {
  const { page } = owner;
  await owner.scanAndWait(golden('brake-rotor').path);
  const result = page.getByRole('region', { name: 'Scan Results' });
  const panel = result.getByRole('region', { name: /^Is it / });
  await panel.getByRole('button', { name: 'Right' }).click();
  await expect(panel.getByText(/^You said that it is right/)).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Right' })).toHaveAttribute(
    'aria-pressed',
    'true',
  );
  await expectSoundAtEveryWidth(owner);

  await panel.getByRole('button', { name: 'It is something else' }).click();
  const search = panel.getByRole('combobox', { name: 'Which part is it?' });
  await expect(search).toBeFocused();
  await search.fill('spark plug');
  await expect(panel.getByRole('option', { name: /^Spark Plug/ }).first()).toBeVisible();
  await owner.expectSound();
  await page.keyboard.press('Enter');
  await expect(panel.getByText(/^You said that it is another part: Spark Plug/)).toBeVisible();

  // What the server refuses changes nothing of what was said.
  await page.route('**/api/scans/*/feedback', (route) => route.abort());
  await panel.getByRole('button', { name: 'Not a part' }).click();
  await expect(page.getByText(/The server cannot be reached/).first()).toBeVisible();
  await expect(panel.getByText(/another part: Spark Plug/)).toBeVisible();
  await page.unroute('**/api/scans/*/feedback');

  // The history shows what it was corrected to.
  await page.reload();
  await page
    .getByRole('region', { name: 'Scan History' })
    .getByRole('button', { name: /Spark Plug/ })
    .click();
  await expect(panel.getByText(/another part: Spark Plug/)).toBeVisible();
  await panel.getByRole('button', { name: 'Delete my answer' }).click();
  await expect(panel.getByText(/^You said/)).toHaveCount(0);
  await expect(panel.getByRole('heading')).toBeFocused();
});

test('a confirmed scan teaches, where that is wanted', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/shop/accuracy');
  const learning = page.getByRole('region', { name: 'Learning from Feedback' });
  await learning.getByRole('switch', { name: 'Confirmed scans teach' }).click();
  await expect(learning.getByRole('switch', { name: 'Confirmed scans teach' })).toBeChecked();
  await owner.goTo('Scan');
  await owner.scanAndWait(golden('coil-spring').path);
  const panel = page.getByRole('region', { name: /^Is it / });
  await panel.getByRole('button', { name: 'Right' }).click();
  await panel.getByRole('link', { name: /^See the photos of / }).click();
  await expect(page.getByRole('img', { name: /^Photo 1, of/ })).toBeVisible();
  await owner.expectSound();
});
