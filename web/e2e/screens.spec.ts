import { ADA, expect, golden, test, type App } from './fixtures';
import { expectRoomForLargeText } from './large-text';
import { SCREENS, SIGNED_IN, SIGNED_OUT } from './screen-snapshots';

/** Each screen: what it says to a screen reader, no accessibility fault, nothing too wide. */

test('welcome', async ({ app }) => {
  await app.open('/');
  await expect(app.page.locator('body')).toMatchAriaSnapshot(`
    - banner:
      - link "Partsight, home"
      - text: Sign in to manage vehicles
    - main:
      - heading "Welcome to Partsight" [level=1]
      - paragraph: Please sign in to access the car parts scanner
      - link "Sign In to Continue"
    - contentinfo:
      - button /2025/
    - navigation "Main":
      - list:
        - listitem:
          - link "Scan"
        - listitem:
          - link "Vehicle"
        - listitem:
          - link "History"
        - listitem:
          - link "Pricing"
        - listitem:
          - link "Profile"
  `);
  await expect(app.tab('Scan')).toHaveAttribute('aria-current', 'page');
  await app.expectSound();
});

test('a visitor, without an error in the console', async ({ app }) => {
  const errors: string[] = [];
  app.page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  for (const [path, title] of [
    ['/', 'Welcome to Partsight'],
    ['/pricing', 'Pricing'],
    ['/profile', 'Your account'],
  ] as const) {
    await app.open(path);
    await expect(app.page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await app.page.waitForLoadState('networkidle');
  }
  expect(errors).toEqual([]);
});

test('terms, over everything, until accepted', async ({ app }) => {
  await app.post('/api/auth/signup', ADA);
  await app.open('/pricing');
  const dialog = app.page.getByRole('dialog');
  await expect(dialog).toMatchAriaSnapshot(`
    - dialog "Terms and Privacy Policy":
      - region "Terms and privacy texts":
        - article:
          - heading "Terms and Conditions" [level=3]
          - paragraph: Effective July 15, 2025
        - article:
          - heading "Privacy Policy" [level=3]
          - paragraph: Last updated July 18, 2025
        - heading "Contact" [level=3]
        - paragraph: We typically respond within 24 hours
      - checkbox "I have read and accept the Terms and Conditions"
      - checkbox "I have read and accept the Privacy Policy"
      - link "Sign Out"
      - button "Confirm and Accept"
  `);
  await app.expectSound();
  for (let step = 0; step < 12; step += 1) {
    await app.page.keyboard.press('Tab');
    expect(await dialog.evaluate((node) => node.contains(document.activeElement))).toBe(true);
  }
});

test.describe('with a company of its own', () => {
  test.use({
    settings: {
      PARTSIGHT_LEGAL_ENTITY: 'Garage LLC',
      PARTSIGHT_SUPPORT_EMAIL: 'help@garage.example',
    },
  });

  test('terms name that company, and only once it is known', async ({ app }) => {
    const { page } = app;
    await app.post('/api/auth/signup', ADA);
    await page.route('**/api/settings', (route) => route.abort());
    await app.open('/');
    const dialog = page.getByRole('dialog', { name: 'Terms and Privacy Policy' });
    await expect(dialog.getByText('The texts could not be loaded')).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Confirm and Accept' })).toBeDisabled();
    await app.expectSound();
    await page.unroute('**/api/settings');
    await dialog.getByRole('button', { name: 'Try Again' }).click();
    await expect(dialog.getByText(/between you and Garage LLC/)).toBeVisible();
    await expect(dialog.getByRole('link', { name: 'help@garage.example' })).toBeVisible();
  });
});

test('result', async ({ owner }) => {
  await owner.scanAndWait(golden('brake-rotor').path);
  const result = owner.page.getByRole('region', { name: 'Scan Results' });
  await expect(result).toMatchAriaSnapshot(`
    - heading "Scan Results" [level=2]
    - button "Close results"
    - heading [level=3]
    - text: /\\d+% match/
    - tablist "About this part":
      - tab "Suppliers" [selected]
      - tab "Videos"
      - tab "Where to Buy"
      - tab "Instructions"
    - tabpanel "Suppliers"
  `);
  for (const name of ['Suppliers', 'Videos', 'Where to Buy', 'Instructions']) {
    await result.getByRole('tab', { name }).click();
    await owner.expectSound();
  }
  await expect(result.getByRole('region', { name: 'Where it sits' })).toMatchAriaSnapshot(`
    - heading "Where It Sits" [level=3]
    - figure:
      - img "Brake Rotor, pointed out on a car from the side"
      - text: Inside the front wheels.
    - figure:
      - img "Brake Rotor, pointed out among the parts around it"
      - text: /Disc brake.* rotor/
  `);
  const wear = result.getByRole('list', { name: 'Wear of a Brake Rotor' });
  await expect(wear.getByRole('img')).toHaveCount(2);
});

test('result that its category answers', async ({ owner }) => {
  const { page } = owner;
  await owner.scanAndWait(golden('brake-rotor').path);
  // None of the drawings makes two parts tie: the kept answer is turned into a tie on its way.
  await page.route('**/api/scans/recent*', async (route) => {
    const response = await route.fetch();
    const [scan] = (await response.json()) as { identification: object; alternatives: object[] }[];
    const tie = {
      ...scan,
      verdict: 'not-sure',
      confidence: 0.48,
      identification: { ...scan?.identification, confidence: 0.48, knownScore: 0.97 },
      alternatives: [
        { label: 'clutch-plate', name: 'Clutch Disc', category: 'transmission', confidence: 0.06 },
        { label: 'brake-pad', name: 'Brake Pad', category: 'brake', confidence: 0.44 },
      ],
      rolledUp: { category: 'brake', name: 'Brake System', confidence: 0.93 },
    };
    await route.fulfill({ response, json: [tie] });
  });
  await page.reload();
  await page.getByRole('button', { name: /Brake Rotor.*Brake System, 93% sure/ }).click();
  const answer = page.getByRole('region', { name: 'Probably a brake system part' });
  await expect(answer).toMatchAriaSnapshot(`
    - heading "Probably a brake system part" [level=3]
    - text: 93% sure
    - paragraph: "Not sure which one. It could be:"
    - list:
      - listitem: Brake Rotor 48% match
      - listitem: Brake Pad 44% match
    - paragraph: "Less likely: Clutch Disc, 6% match."
  `);
  await page.getByText('How it was answered').click();
  await expect(page.getByText('Ran on')).toBeVisible();
  await owner.expectSound();
});

/** The widths at which each screen is looked at whole, and those at which nothing may be too wide. */
const LOOKED_AT = [360, 768, 1440];
const NOT_TOO_WIDE = [320, 2560];

/** Opens each screen in turn, and looks at it in every width. */
async function visitAll(app: App, snapshots: typeof SIGNED_IN) {
  const { page } = app;
  // A screen that leads away after some seconds stays for as long as it is looked at.
  await page.addInitScript(() => {
    const later = window.setTimeout.bind(window);
    const orNever = (then: () => void, ms = 0) => later(then, ms < 1000 ? ms : 1e9);
    window.setTimeout = orNever as typeof window.setTimeout;
  });
  for (const [name, path] of Object.entries(SCREENS)) {
    await test.step(path, async () => {
      await app.open(path);
      await expect(page.getByRole('main')).toMatchAriaSnapshot(
        snapshots[name as keyof typeof SCREENS],
      );
      for (const width of LOOKED_AT) {
        await page.setViewportSize({ width, height: 800 });
        await app.expectSound();
      }
      for (const width of NOT_TOO_WIDE) {
        await page.setViewportSize({ width, height: 800 });
        await app.expectNoOverflow();
      }
    });
  }
}

test.describe('every screen', () => {
  // All widths are visited here; another project would visit them again.
  test.skip(({ viewport }) => viewport?.width !== 360, 'once is enough');
  test.describe.configure({ timeout: 600_000 });

  test('signed out', async ({ app }) => {
    await visitAll(app, SIGNED_OUT);
  });

  test('signed in', async ({ owner }) => {
    await visitAll(owner, SIGNED_IN);
  });

  test.describe('with Business', () => {
    test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

    test('usage', async ({ owner }) => {
      await owner.scanAndWait(golden('brake-rotor').path);
      await owner.open('/shop/usage');
      await expect(owner.page.getByRole('main')).toMatchAriaSnapshot(`
        - link "Shop"
        - heading "Usage" [level=1]
        - region "The Last 30 Days":
          - figure "Scans a day":
            - heading "Scans a day" [level=3]
            - img /Scans a day. 1 day of 30, most on .* with 1/
            - group: "Figures of Scans a day"
      `);
      await owner.expectSound();
    });
  });
});

test('the link that skips to the content has its padding', async ({ app }) => {
  await app.open('/pricing');
  await expect(app.page.getByRole('heading', { level: 1 })).toBeVisible();
  await app.page.keyboard.press('Tab');
  const skip = app.page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toHaveCSS('padding', '8px 16px');
});

test.describe('in a narrow window with a long vehicle', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('the bar at the top is not too wide', async ({ owner }) => {
    await owner.addLongVehicle();
    await owner.open('/');
    await expect(owner.page.getByRole('button', { name: /^Default vehicle/ })).toBeVisible();
    for (const width of [640, 700, 800]) {
      await owner.page.setViewportSize({ width, height: 800 });
      await owner.expectNoOverflow();
    }
  });
});

test.describe('on a touch screen', () => {
  test.use({
    isMobile: true,
    hasTouch: true,
    viewport: { width: 360, height: 740 },
    settings: { PARTSIGHT_PLAN: 'business' },
  });

  test('what is pressed is as high as a finger', async ({ owner }) => {
    const { page } = owner;
    await owner.post('/api/api-keys', { name: 'Gate', scopes: ['scan'] });
    const controls = page.locator(
      '.top-bar :is(a, button), main :is(button, summary, label:has(> input))',
    );
    for (const path of [
      '/',
      '/vehicle',
      '/history',
      '/pricing',
      '/shop/api-keys',
      '/shop/accuracy',
      '/shop/taught',
    ]) {
      await owner.open(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await page.waitForLoadState('networkidle');
      const low = await controls.evaluateAll((all) =>
        all
          .filter((it) => it.checkVisibility() && it.getBoundingClientRect().height < 44)
          .map((it) => it.textContent),
      );
      expect(low, path).toEqual([]);
    }
  });

  test('text of twice the size has room', async ({ owner }) => {
    const names = { firstName: 'Maximiliana-Konstantina', lastName: 'Wolfeschlegelsteinhausen' };
    await owner.call('put', '/api/auth/user', names);
    await owner.addLongVehicle();
    await owner.open('/');
    await owner.scanAndWait(golden('coil-spring').path);
    await expectRoomForLargeText(owner.page);
    for (const path of [
      '/',
      '/vehicle',
      '/history',
      '/pricing',
      '/profile',
      '/contact',
      '/batches',
      '/bench',
      '/shop/accuracy',
      '/shop/exports',
    ]) {
      await owner.open(path);
      await expect(owner.page.getByRole('heading', { level: 1 })).toBeVisible();
      await owner.page.waitForLoadState('networkidle');
      await expectRoomForLargeText(owner.page);
    }
  });

  test('what a question asks can be answered with text of twice the size', async ({ owner }) => {
    const { page } = owner;
    await owner.addLongVehicle();
    await owner.open('/vehicle');
    await page.getByRole('button', { name: 'Delete 2019 Mercedes-Benz' }).click();
    const question = page.getByRole('alertdialog');
    await page.addStyleTag({ content: 'html { font-size: 200%; }' });
    const yes = question.getByRole('button', { name: 'Delete' });
    // Nothing scrolls a page that lies behind a question.
    await yes.scrollIntoViewIfNeeded();
    await expect(yes).toBeInViewport({ ratio: 1 });
    expect((await question.boundingBox())?.y).toBeGreaterThanOrEqual(0);
  });
});
