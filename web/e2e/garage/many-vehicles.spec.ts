import { expect, test } from '../fixtures';

/** Calls of the page itself; the bars at the top and the bottom ask on every page for who is there and what is due. */
const SHELL = [
  '/api/auth/user',
  '/api/vehicles',
  '/api/vehicles/default',
  '/api/alerts',
  '/api/settings',
];

test('a page of 24 vehicles asks no more than one of one', async ({ owner }) => {
  const { page, server } = owner;
  const asked = async () => {
    const calls: string[] = [];
    const note = (request: { url: () => string }) => {
      const { pathname } = new URL(request.url());
      if (pathname.startsWith('/api/') && !SHELL.includes(pathname)) calls.push(pathname);
    };
    page.on('request', note);
    await owner.open('/vehicle');
    await expect(page.getByRole('region', { name: 'Oil Change History' })).toBeVisible();
    await page.waitForLoadState('networkidle');
    page.off('request', note);
    return calls.toSorted();
  };
  const ofOne = await asked();
  for (let n = 2; n <= 24; n += 1) {
    const data = { make: 'Honda', model: `Civic ${n}`, year: 2015 };
    expect((await page.request.post(`${server.url}/api/vehicles`, { data })).ok()).toBe(true);
  }
  const ofMany = await asked();
  expect(ofMany).toEqual(ofOne);
  expect(ofMany.length, ofMany.join(' ')).toBeLessThanOrEqual(4);
});
