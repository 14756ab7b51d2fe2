import type { Schemas } from '@/api/client';
import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { ADA, App, expect, golden, test } from '../fixtures';

/** How many wrong answers a shop accepts. */

test('another choice is made by the keyboard and holds for the next scan', async ({ owner }) => {
  const { page } = owner;
  await owner.open('/shop/accuracy');
  const card = page.getByRole('region', { name: 'How Sure an Answer Must Be' });
  const own = card.getByRole('radio', { name: 'As the model suggests' });
  await expect(own).toBeChecked();
  await expect(card.getByRole('radio')).toHaveCount(5);
  await card.getByText('The choices as a drawing').click();
  await expect(card.getByRole('img')).toHaveAccessibleName(/At most 5% wrong: \d+% of the photos/);
  await card.getByText('Where the figures come from').click();
  await expect(card.getByText(/Measured on 493 photos/)).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await own.focus();
  await page.keyboard.press('ArrowDown');
  const strict = card.getByRole('radio', { name: 'At most 1% wrong' });
  await expect(strict).toBeChecked();
  await expect(strict).toHaveAccessibleDescription(/^Not promised/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const chosen = card.getByRole('radio', { name: 'At most 5% wrong' });
  await expect(chosen).toBeChecked();
  await expect(card.getByText('Not saved yet.')).toBeVisible();
  await owner.expectSound();
  await page.route('**/api/dial', (route) => route.abort());
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByRole('alert')).toContainText('The server cannot be reached');
  await expect(chosen).toBeChecked();
  await page.unroute('**/api/dial');
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(card.getByText('Saved.')).toBeVisible();
  await owner.expectSound();

  await page.reload();
  await expect(chosen).toBeChecked();
  await expect(chosen).toHaveAccessibleDescription(/^In force/);
  await owner.goTo('Scan');
  await owner.scanAndWait(golden('brake-rotor').path);
  const [scan] = (await owner.call('get', '/api/scans/recent')) as Schemas['RecentScan'][];
  const dial = (await owner.call('get', '/api/dial')) as Schemas['Dial'];
  const asked = dial.choices.find(({ maxWrongPercent }) => maxWrongPercent === 5);
  expect(asked?.identifiedConfidence).toBeLessThan(dial.modelIdentifiedConfidence);
  expect(scan?.receipt.identifiedConfidence).toBeCloseTo(asked?.identifiedConfidence ?? 1, 5);
});

test.describe('in a company', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('those who do not manage it only look', async ({ owner, browser }) => {
    const { server } = owner;
    const { id } = await owner.post('/api/company', { name: 'Garage' });
    const invited = { userEmail: 'bo@example.org', userName: 'Bo Ek' };
    const invitation = await owner.post(`/api/company/${id}/members`, invited);
    const { link } = invitation as Schemas['InvitedMember'];
    await owner.call('put', '/api/dial', { maxWrongPercent: 10 });

    const other = await browser.newContext();
    const bo = new App(await other.newPage(), server);
    await bo.signUp({ email: invited.userEmail, password: ADA.password });
    const { pathname, hash } = new URL(link ?? '', server.url);
    await bo.open(pathname + hash);
    await bo.page.getByRole('button', { name: 'Join', exact: true }).click();
    await expect(
      bo.page.getByText('You are a member of Garage now.', { exact: true }),
    ).toBeVisible();
    await bo.open('/shop/accuracy');
    const card = bo.page.getByRole('region', { name: 'How Sure an Answer Must Be' });
    await expect(card.getByText('Only those who manage your company can change')).toBeVisible();
    await expect(card.getByRole('radio', { name: 'At most 10% wrong' })).toBeChecked();
    await expect(card.getByRole('radio', { name: 'At most 1% wrong' })).toBeDisabled();
    await expect(card.getByRole('button', { name: 'Save' })).toHaveCount(0);
    await expectSoundAtEveryWidth(bo);
    await other.close();
  });
});
