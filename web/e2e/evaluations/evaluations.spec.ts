import { readFileSync } from 'node:fs';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';
import { zipOf } from './zip';

/** How often the model is right on photos of the shop. */

test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

const photo = (name: Parameters<typeof golden>[0]) => readFileSync(golden(name).path);

test('measure a zip, read the report, set the dial from it, compare, and delete', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.open('/shop/accuracy');
  const card = page.getByRole('region', { name: 'Measure your own photos' });
  await card.getByLabel('Choose a zip of photos').setInputFiles({
    name: 'loose.zip',
    mimeType: 'application/zip',
    buffer: zipOf({ 'a.png': photo('rim') }),
  });
  await card.getByRole('button', { name: 'Measure' }).click();
  await expect(card.getByRole('alert')).toContainText('one folder for each type of part');
  await expectSoundAtEveryWidth(owner);

  const files = {
    'photos/brake-rotor/1.png': photo('brake-rotor'),
    'photos/coil-spring/2.png': photo('coil-spring'),
    'photos/coil-spring/wrong.png': photo('rim'),
    'photos/not-a-part/4.png': photo('meadow'),
  };
  for (const name of ['June.zip', 'July.zip']) {
    await card.getByLabel(/Choose a zip|\.zip/).setInputFiles({
      name,
      mimeType: 'application/zip',
      buffer: zipOf(files),
    });
    await card.getByRole('button', { name: 'Measure' }).click();
    await expect(card.getByRole('link', { name })).toBeVisible({ timeout: 30_000 });
  }
  await expect(card.getByText('Top-1 accuracy 66.7% (2 of 3)')).toHaveCount(2);
  await expectSoundAtEveryWidth(owner);

  await card.getByRole('link', { name: 'July.zip' }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'July.zip' })).toBeVisible();
  await expect(page.getByText('2 of 3, 95% interval').first()).toBeVisible();
  const errors = page.getByRole('region', { name: 'Most confident errors' });
  await expect(errors.getByText('coil-spring/wrong.png')).toBeVisible();
  await errors.getByRole('img').scrollIntoViewIfNeeded();
  await expect(errors.getByRole('img')).toHaveJSProperty('naturalWidth', 160);
  await page.getByLabel('Compare with').selectOption({ index: 1 });
  await expect(
    page.getByText(/On the 3 photos in both, top-1 accuracy is the same here/),
  ).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  const opened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Full Report' }).click();
  const report = await opened;
  await expect(report.getByRole('heading', { level: 1 })).toContainText('partsight-50');
  const check = report.getByRole('region', { name: 'Labels to check' });
  const save = check.getByRole('button', { name: 'Download corrections.csv' });
  await expect(save).toBeDisabled();
  const label = check.getByRole('group', { name: 'Label of coil-spring/wrong.png' });
  await label.getByRole('radio', { name: 'Wrong, it is: rim' }).check();
  await expect(check.getByRole('status')).toHaveText('1 of 1 decided.');
  await label.getByLabel('Another label').selectOption('radiator');
  await expect(label.getByRole('radio', { name: 'Another' })).toBeChecked();
  const [file] = await Promise.all([report.waitForEvent('download'), save.click()]);
  expect(readFileSync(await file.path(), 'utf8')).toBe(
    'path,label\ncoil-spring/wrong.png,radiator\n',
  );
  await report.close();

  const dial = page.getByRole('region', { name: 'How Sure an Answer Must Be' });
  const strict = dial.getByRole('radio', { name: 'At most 2% wrong' });
  await expect(strict).toHaveAccessibleDescription(/On your photos: \d of 3 answered/);
  await dial.getByText('At most 2% wrong', { exact: true }).click();
  await expect(strict).toBeChecked();
  await dial.getByRole('button', { name: 'Save' }).click();
  await expect(dial.getByText('Saved.')).toBeVisible();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(card.getByRole('link', { name: 'June.zip' })).toBeVisible();
  await expect(card.getByRole('link', { name: 'July.zip' })).toHaveCount(0);
});
