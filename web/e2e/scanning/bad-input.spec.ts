import { readFile } from 'node:fs/promises';
import { BUSY, INTERNAL, problem } from '../failures';
import { expect, golden, test, type App } from '../fixtures';

/** Files and servers as they come. */

const LIMIT_SENTENCE =
  'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.';
const LIMIT_REACHED = problem({
  status: 429,
  code: 'limit-reached',
  title: 'Scan limit reached',
  detail: LIMIT_SENTENCE,
});

const failure = ({ page }: App) => page.getByRole('dialog', { name: 'Analysis Failed' });

test('of ten files that are dropped the first five stay', async ({ owner }) => {
  const { page } = owner;
  const picture = await readFile(golden('rim').path, 'base64');
  const files = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
    for (let index = 0; index < 10; index += 1) {
      transfer.items.add(new File([bytes], `${index}.png`, { type: 'image/png' }));
    }
    return transfer;
  }, picture);
  await page
    .getByRole('button', { name: 'Upload from Gallery' })
    .dispatchEvent('drop', { dataTransfer: files });
  await expect(page.getByRole('alert')).toHaveText(
    'A scan takes at most 5 photos of one part. Please choose the best ones.',
  );
  await expect(page.getByRole('button', { name: 'Scan 5 Photos' })).toBeEnabled();
});

test('a scan that the server refuses is not sent again by itself', async ({ owner }) => {
  const { page } = owner;
  const answers = [
    [INTERNAL, 'Failed to identify part: Internal Server Error'],
    [BUSY, 'Failed to identify part: Service Unavailable'],
    [LIMIT_REACHED, LIMIT_SENTENCE],
  ] as const;
  let asked = 0;
  await page.route('**/api/identify', async (route) => {
    const answer = answers[asked]?.[0];
    asked += 1;
    if (answer === undefined) await route.fallback();
    else await route.fulfill(answer);
  });
  await owner.scan(golden('rim').path);
  for (const [index, [, sentence]] of answers.entries()) {
    await expect(failure(owner).getByText(sentence, { exact: true })).toBeVisible();
    await owner.expectSound();
    expect(asked).toBe(index + 1);
    await failure(owner).getByRole('button', { name: 'Try Again' }).click();
    await page.getByRole('button', { name: 'Scan This Photo Again' }).click();
  }
  await expect(page.getByRole('heading', { name: 'Scan Results' })).toBeVisible();
});
