import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, test } from '../fixtures';

/** The shop's home: every tool of a shop one tap away, and an account page that is about the account. */

test.describe('with Business', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('from the home screen to each tool and back', async ({ owner }) => {
    const { page } = owner;
    const tools = page.getByRole('navigation', { name: 'Tools of your shop' });
    await page
      .getByRole('main')
      .getByRole('link', { name: /^Your Shop/ })
      .click();
    await expect(page.getByRole('heading', { level: 1, name: 'Shop' })).toBeVisible();
    await expect(tools.getByRole('link', { name: /^API Keys/ })).toContainText('0 keys');
    await expectSoundAtEveryWidth(owner);
    for (const title of [
      'Bench',
      'Batches',
      'Past Scans',
      'Grades',
      'Taught Parts',
      'Shop Parts',
      'Price Lists',
      'Cross-References',
      'Accuracy',
      'Company and Team',
      'API Keys',
      'Webhooks',
      'Usage',
      'Exports',
    ]) {
      await tools.getByRole('link', { name: new RegExp(`^${title}`) }).click();
      await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
      await expectSoundAtEveryWidth(owner);
      await page
        .getByRole('main')
        .getByRole('link', { name: /^(Shop|Back to the shop)$/ })
        .click();
      await expect(tools).toBeVisible();
    }
    await tools.getByRole('link', { name: /^Exports/ }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Usage as CSV' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.csv$/);
    await page.goBack();
    await expect(tools).toBeVisible();

    // The top bar and the account page lead there too.
    await page.getByRole('banner').getByRole('link', { name: 'Shop' }).click();
    await expect(page).toHaveURL(/\/shop$/);
    await owner.goTo('Profile');
    await page.getByRole('link', { name: 'Your Shop' }).click();
    await expect(tools).toBeVisible();
  });

  test('the account page of a whole shop fits four phone screens', async ({ owner }) => {
    const { page } = owner;
    const { id } = await owner.post('/api/company', { name: 'Garage', description: 'Brakes.' });
    for (const name of ['bo', 'cy', 'di', 'ed']) {
      await owner.post(`/api/company/${id}/members`, {
        userName: name,
        userEmail: `${name}@example.org`,
      });
    }
    await page.setViewportSize({ width: 360, height: 800 });
    await owner.goTo('Profile');
    await expect(page.getByRole('list', { name: 'Members' }).getByRole('listitem')).toHaveCount(5);
    await expect(page.getByText('This browser')).toBeVisible();
    // It was 5,663 px while the tools of the shop stood on it.
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThan(3200);
    await owner.expectSound();
  });
});

test('an earlier address leads to the new one, and Back does not come to it again', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('History');
  await owner.open('/catalog?teach=new');
  await expect(page.getByRole('dialog', { name: 'Teach a Part' })).toBeVisible();
  await expect(page).toHaveURL(/\/shop\/taught\?teach=new$/);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
});

test('on a phone the answer has its tabs and the camera near', async ({ owner }) => {
  const { page } = owner;
  await page.setViewportSize({ width: 360, height: 760 });
  await owner.scanAndWait(golden('brake-rotor').path);
  const top = async (name: string, role: 'heading' | 'tablist') => {
    const box = await page.getByRole(role, { name, exact: true }).boundingBox();
    return box?.y ?? Number.NaN;
  };
  const below = (await top('About this part', 'tablist')) - (await top('Scan Results', 'heading'));
  // It was 1,400 to 2,100 px.
  expect(below).toBeLessThan(900);
  await page.getByRole('button', { name: 'Scan Another Part' }).click();
  await expect(page.getByRole('heading', { name: 'Scan Results' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Scan a part' })).toBeInViewport();
});

test('with large text on a phone the bar has two rows and the whole name of the vehicle', async ({
  owner,
}) => {
  const { page } = owner;
  await page.setViewportSize({ width: 360, height: 760 });
  await page.addStyleTag({ content: 'html { font-size: 200%; }' });
  const bar = page.getByRole('banner');
  const vehicle = bar.getByRole('button', { name: /^Default vehicle/ });
  const [home, bell, name] = await Promise.all(
    [
      bar.getByRole('link', { name: 'Partsight, home' }),
      bar.getByRole('button', { name: 'Maintenance alerts' }),
      vehicle,
    ].map((one) => one.boundingBox()),
  );
  if (home == null || bell == null || name == null) throw new Error('The bar lacks something.');
  expect(bell.y).toBeLessThan(home.y + home.height);
  expect(name.y).toBeGreaterThanOrEqual(bell.y + bell.height);
  const isCut = await vehicle.locator('bdi').evaluate((it) => it.scrollWidth > it.clientWidth);
  expect(isCut).toBe(false);
});

test('with large text on a phone the choices above a grid have a column each', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.scanAndWait(golden('rim').path);
  await page.setViewportSize({ width: 360, height: 760 });
  await owner.open('/batches/past');
  const category = page.getByLabel('Category', { exact: true });
  const answer = page.getByLabel('Answer', { exact: true });
  const tops = () => Promise.all([category, answer].map(async (it) => (await it.boundingBox())?.y));
  const [beside, same] = await tops();
  expect(beside).toBe(same);
  await page.addStyleTag({ content: 'html { font-size: 200%; }' });
  // Polled: the page may be laid out again only in a later frame.
  await expect
    .poll(async () => {
      const [above = 0, below = 0] = await tops();
      return below - above;
    })
    .toBeGreaterThan(0);
  await owner.expectNoOverflow();
});
