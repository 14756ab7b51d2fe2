import { expect, test } from './fixtures';

/**
 * How many calls a screen makes, beside those that every screen makes for the bars around it. A screen
 * that asks once for each vehicle, record or panel is found here.
 */

const SHELL = [
  '/api/settings',
  '/api/auth/user',
  '/api/vehicles',
  '/api/vehicles/default',
  '/api/alerts',
];

/** The calls that each screen may make. */
const AT_MOST: Record<string, number> = {
  '/': 5,
  // Among them the oil changes, the repairs and the mileages noted of the vehicle whose charts are drawn.
  '/vehicle': 7,
  '/history': 1,
  '/pricing': 1,
  '/profile': 9,
  // A figure for each tool that has one.
  '/shop': 8,
};

test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

test('a garage of 24 vehicles takes no more calls than one of one', async ({ owner }) => {
  const { page } = owner;
  for (let n = 1; n < 24; n += 1) {
    await owner.post('/api/vehicles', { make: 'Honda', model: 'Civic', year: 1995 + n });
  }
  for (const [path, most] of Object.entries(AT_MOST)) {
    await test.step(path, async () => {
      const calls: string[] = [];
      const note = (request: { url: () => string }) => {
        const { pathname, search } = new URL(request.url());
        if (pathname.startsWith('/api/') && !SHELL.includes(pathname))
          calls.push(pathname + search);
      };
      page.on('request', note);
      await owner.open(path);
      await page.waitForLoadState('networkidle');
      page.off('request', note);
      expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(most);
      expect(calls, 'asked once each').toEqual([...new Set(calls)]);
    });
  }
});
