import { expect, golden, test } from './fixtures';

/** How to photograph a part, drawn rather than written. */

test('an answer between two parts says which photo tells them apart', async ({ owner }) => {
  const { page } = owner;
  const answer = page.waitForResponse(/\/api\/identify$/);
  await owner.scanAndWait(golden('brake-rotor').path);
  const result = (await (await answer).json()) as { identification: object };
  await page.getByRole('button', { name: 'Close results' }).click();
  // No drawing makes the model waver between two parts that look alike: the answer is given one.
  await page.route('**/api/identify', async (route) => {
    await route.fulfill({
      json: {
        ...result,
        verdict: 'not-sure',
        identification: { ...result.identification, confidence: 0.5, knownScore: 0.97 },
        tellingApart: [
          {
            between: ['brake-rotor', 'flywheel'],
            names: ['Brake Rotor', 'Flywheel'],
            view: 'face',
            sentence: 'A flywheel has teeth around its rim and a ring of crank bolts.',
          },
        ],
      },
    });
  });
  await owner.scanAndWait(golden('brake-rotor').path);
  const better = page.getByRole('region', { name: 'A Better Photo Would Tell' });
  await better.getByRole('heading').click();
  await expect(better.getByText('Brake Rotor or Flywheel?')).toBeVisible();
  await expect(
    better.getByRole('img', { name: 'How to photograph it: straight at its face' }),
  ).toBeVisible();
  await owner.expectSound();
  await page.getByRole('button', { name: 'Add Photos of This Part' }).click();
  const tray = page.getByRole('list', { name: 'Photos to scan together' });
  await expect(tray.getByRole('listitem')).toHaveCount(1);
});
