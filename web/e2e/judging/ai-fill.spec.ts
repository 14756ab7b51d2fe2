import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { teach } from '../catalog-vocabulary';
import { expect, golden, type App } from '../fixtures';
import { test } from '../outside-service';

/** What a language model fills in where the catalogue has nothing: on request, marked, and removable. */

const panel = ({ page }: App) => page.getByRole('group', { name: 'Filled in by AI' });

const TRABANT = { make: 'Trabant', model: '601', year: 1988 };

const allow = (app: App) => app.call('put', '/api/judge', { allowed: true });

test('the oil of an unknown car is filled in once it is allowed and asked for', async ({
  owner,
  service,
}) => {
  const { page } = owner;
  await owner.addDefaultVehicle(TRABANT);
  await owner.open('/');
  const tile = page.getByRole('button', { name: /Oil & Filter/ });
  await expect(tile).toContainText('Common values');
  await tile.click();
  await expect(panel(owner)).toContainText('once the second opinion is allowed');
  await owner.expectSound();

  await allow(owner);
  await page.reload();
  await tile.click();
  await expect(panel(owner)).toContainText(
    'it gets its year, make, model and engine, and nothing else',
  );
  expect(service.questions).toEqual([]);
  await panel(owner).getByRole('button', { name: 'Ask the AI' }).click();
  await expect(panel(owner)).toContainText('AI, verify');
  await expect(panel(owner)).toContainText('eye-1 filled this in on');
  const dialog = page.getByRole('dialog', { name: 'Oil Specification' });
  await expect(dialog.getByText('10W-40')).toBeVisible();
  await expect(dialog.getByText('3.2 quarts')).toBeVisible();
  // What it says is text and nothing else.
  await expect(dialog.getByText('API <b>SG</b>')).toBeVisible();
  expect(service.questions.map((question) => JSON.parse(question) as unknown)).toEqual([
    { year: 1988, make: 'Trabant', model: '601', engine: null },
  ]);
  await expectSoundAtEveryWidth(owner);
  await page.keyboard.press('Escape');
  await expect(tile).toContainText('AI, verify');

  await tile.click();
  await panel(owner).getByRole('button', { name: 'Wrong? Remove' }).click();
  await expect(panel(owner).getByRole('button', { name: 'Ask the AI' })).toBeVisible();
  await expect(dialog.getByText('5W-30')).toBeVisible();
});

test('a part that was taught gets a guide', async ({ owner, service }) => {
  const { page } = owner;
  const guide = page
    .getByRole('tabpanel', { name: 'Instructions' })
    .getByRole('group', { name: 'Filled in by AI' });
  await teach(owner, 'Meadow valve', [golden('meadow').path]);
  await allow(owner);
  await owner.open('/');
  await owner.scanAndWait(golden('meadow').path);
  await page.getByRole('tab', { name: 'Instructions' }).click();
  await expect(
    page.getByText('No installation instructions available for this part'),
  ).toBeVisible();
  await guide.getByRole('button', { name: 'Ask the AI' }).click();
  await expect(guide).toContainText('AI, verify');
  await expect(page.getByText('Undo the two bolts.')).toBeVisible();
  await expect(page.getByText('The exhaust stays hot for a long time.')).toBeVisible();
  expect(JSON.parse(service.questions.at(-1) ?? '')).toEqual({
    part: 'Meadow valve',
    category: 'Engine Components',
  });
  await expectSoundAtEveryWidth(owner);

  // The history has it as well.
  await owner.open('/');
  await owner.goTo('History');
  await page
    .getByRole('button', { name: /Meadow valve/ })
    .first()
    .click();
  await page.getByRole('tab', { name: 'Instructions' }).click();
  await expect(page.getByText('Undo the two bolts.')).toBeVisible();
});

test('notes stand beside an unknown fit, which stays unknown', async ({ owner }) => {
  const { page } = owner;
  await allow(owner);
  await owner.open('/parts/engine?part=spark-plug');
  await expect(page.getByText('Not known', { exact: false }).first()).toBeVisible();
  await panel(owner).getByRole('button', { name: 'Ask the AI' }).click();
  await expect(page.getByText('The two engines take different plugs.')).toBeVisible();
  await expect(page.getByText('Thread reach')).toBeVisible();
  await expect(page.getByText('Not known', { exact: false }).first()).toBeVisible();
  await expect(panel(owner)).toContainText('AI, verify');
  await expectSoundAtEveryWidth(owner);
});
