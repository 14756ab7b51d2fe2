import type { BenchLine } from '../../src/features/bench/list/model';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { App, expect, test } from '../fixtures';

/** The running list of the bench as it was kept, worked without a camera. */

/** A name of a taught part, which may be long. */
const LONG = 'Windshield Washer Fluid Reservoir';

const unsure = (number: number, name: string): BenchLine => ({
  key: `key-${number}`,
  number,
  at: Date.UTC(2026, 10, 25, 9, number),
  bin: 'A 1',
  thumb: null,
  partNumber: null,
  answer: {
    state: 'answered',
    scanId: `scan-${number}`,
    verdict: 'not-sure',
    isUnlike: false,
    candidates: [
      { label: 'a', name, confidence: 0.6 },
      { label: 'b', name: LONG, confidence: 0.2 },
    ],
    text: `Not sure: ${name}.`,
    said: undefined,
  },
  takenOutAt: null,
});

async function openBench(owner: App, ...names: string[]) {
  const { id } = (await owner.call('get', '/api/auth/user')) as { id: string };
  const lines = names.map((name, n) => unsure(n + 1, name));
  await owner.page.evaluate(([key, list]) => localStorage.setItem(key, list), [
    `bench-list@${id}`,
    JSON.stringify({ lines, bin: '' }),
  ] as const);
  await owner.open('/bench');
  await expect(owner.page.getByRole('heading', { level: 1, name: 'Bench' })).toBeVisible();
}

test('a part with a long name stays within a phone', async ({ owner }) => {
  await openBench(owner, LONG);
  await expect(owner.page.getByText('Which one is it?')).toBeVisible();
  await expectSoundAtEveryWidth(owner);
});

test('the bench goes over to the tab that asks for it, and back where that one is closed', async ({
  owner,
}) => {
  await openBench(owner, 'Brake Rotor');
  const other = new App(await owner.page.context().newPage(), owner.server);
  const rows = ({ page }: App) =>
    page
      .getByRole('list', { name: /^Parts/ })
      .getByRole('listitem')
      .filter({ hasText: 'Brake Rotor' });
  await other.open('/bench');
  await expect(other.page.getByText('The bench is open in another tab')).toBeVisible();
  await expectSoundAtEveryWidth(other);
  await other.page.getByRole('button', { name: 'Use It Here' }).click();
  await expect(rows(other)).toHaveCount(1);
  await expect(owner.page.getByText('The bench is open in another tab')).toBeVisible();
  await other.page.close();
  await expect(rows(owner)).toHaveCount(1);
});

test('with large text the list beside the answer has room for its parts', async ({ owner }) => {
  const { page } = owner;
  await page.setViewportSize({ width: 1280, height: 800 });
  await openBench(owner, 'Brake Rotor', 'Coil Spring', LONG);
  await page.addStyleTag({ content: 'html { font-size: 200%; }' });
  const list = page.getByRole('list', { name: /^Parts/ });
  const height = async () => (await list.boundingBox())?.height ?? 0;
  await expect.poll(height).toBeGreaterThan(200);
  // It was as wide as no letter.
  const name = list.getByText('Coil Spring');
  await name.scrollIntoViewIfNeeded();
  await expect(name).toBeInViewport({ ratio: 1 });
  expect((await name.boundingBox())?.width).toBeGreaterThan(100);
  await owner.expectNoOverflow();
});
