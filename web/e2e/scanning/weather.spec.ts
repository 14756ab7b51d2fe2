import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, golden, test, type App } from '../fixtures';

/** What happens to people: slow networks, two tabs, odd names, large garages, sessions that end. */

test('a slow phone network', async ({ app }) => {
  test.slow();
  const { page } = app;
  await app.prepareOwner();
  const session = await page.context().newCDPSession(page);
  // As browsers emulate slow 3G: 400 kbit/s and 400 ms to the server.
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  });
  await app.open('/');
  await expect(page.getByText(/^Loading/).first()).toBeAttached({ timeout: 60_000 });
  await expect(page.getByRole('button', { name: 'Upload from Gallery' })).toBeEnabled({
    timeout: 60_000,
  });
  await app.scan(golden('brake-rotor').path);
  await expect(page.getByRole('dialog', { name: 'Analyzing Part...' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Scan Results' })).toContainText('Brake Rotor', {
    timeout: 60_000,
  });
  await app.expectSound();
});

test.describe('two tabs', () => {
  const secondTab = async (owner: App, path: string) => {
    const tab = await owner.page.context().newPage();
    await tab.goto(owner.server.url + path);
    return tab;
  };

  test('one changes the default vehicle, and the other learns of it', async ({ owner }) => {
    const { page } = owner;
    await owner.post('/api/vehicles', { make: 'Ford', model: 'F-150', year: 2019 });
    const other = await page.context().newPage();
    await other.clock.install();
    await other.goto(`${owner.server.url}/`);
    await expect(other.getByRole('button', { name: /2015 Honda Civic/ })).toBeVisible();
    await owner.open('/vehicle');
    await page.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }).click();
    await expect(page.getByText('Default vehicle changed successfully').first()).toBeVisible();
    // What a tab knows is good for 30 seconds, and then asked again when somebody looks at it.
    await other.clock.fastForward(31_000);
    await other.evaluate(() =>
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true })),
    );
    await expect(other.getByRole('button', { name: /2019 Ford F-150/ })).toBeVisible();
  });

  test('a photo that waits is sent by one of them', async ({ owner }) => {
    const { page } = owner;
    const context = page.context();
    let isOnline = false;
    // What a busy server refuses is sent again, rightly.
    let answered = 0;
    await context.route('**/api/identify', async (route) => {
      if (!isOnline) return route.abort();
      const response = await route.fetch();
      if (response.ok()) answered += 1;
      await route.fulfill({ response });
    });
    await owner.scan(golden('rim').path);
    await page.getByRole('button', { name: 'Keep and Send Later' }).click();
    // It is kept before the browser has guessed, which can take a while.
    await expect(page.getByRole('region', { name: 'Waiting to Be Sent' })).toBeVisible({
      timeout: 60_000,
    });
    const other = await secondTab(owner, '/');
    await expect(other.getByRole('region', { name: 'Waiting to Be Sent' })).toBeVisible();
    isOnline = true;
    await Promise.all(
      [page, other].map((tab) => tab.evaluate(() => window.dispatchEvent(new Event('online')))),
    );
    const scans = async () => {
      return ((await owner.call('get', '/api/scans/recent')) as object[]).length;
    };
    await expect.poll(scans).toBe(1);
    // A reload before the answer has arrived would have it sent once more, under the same key.
    await expect.poll(() => waitingScans(page)).toBe(0);
    await page.reload();
    await expect(page.getByText('Scans used 1/2')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Waiting to Be Sent' })).toHaveCount(0);
    expect(answered).toBe(1);
  });
});

/** How many scans this browser keeps, whichever tab shows them. */
function waitingScans(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('partsight');
        opening.onerror = () => reject(new Error('the database cannot be opened'));
        opening.onsuccess = () => {
          const database = opening.result;
          const counting = database
            .transaction('waiting-scans')
            .objectStore('waiting-scans')
            .count();
          counting.onsuccess = () => {
            database.close();
            resolve(counting.result);
          };
        };
      }),
  );
}

test('a photo outlives a session that has ended', async ({ owner }) => {
  const { page } = owner;
  // What the page still reads would tell it, before a photo is chosen, that nobody is signed in.
  await page.waitForLoadState('networkidle');
  await page.context().clearCookies();
  // The toast stands for half a second before the page leaves: wait for it inside the page.
  const told = page.getByText('Please sign in to scan parts', { exact: true }).first().waitFor();
  await owner.scan(golden('brake-rotor').path);
  await told;
  await expect(page).toHaveURL(/\/profile$/);
  await expect(page.getByText('Your session has ended. Sign in again.')).toBeVisible();
  await owner.signIn();
  await expect(page.getByText('A kept photo was answered', { exact: true })).toBeVisible();
  await expect(page.getByText('Scans used 1/2')).toBeVisible();
});

test.describe('names that are long, or written from right to left', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  const WIDTHS = [320, 360, 1440];
  const LONG = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamter';
  const ARABIC = 'هيونداي سوناتا المصنعة في كوريا';

  for (const [kind, name] of [
    ['long', LONG.slice(0, 50)],
    ['right to left', ARABIC],
  ] as const) {
    test(kind, async ({ owner }) => {
      test.slow();
      const { page } = owner;
      const notes = `${name} `.repeat(20);
      const vehicleId = await owner.addDefaultVehicle({
        make: name,
        model: name,
        year: 2015,
        engine: name.slice(0, 40),
        licensePlate: name.slice(0, 12),
      });
      await owner.post('/api/repair-history', {
        vehicleId,
        partReplaced: name,
        mileage: 1000,
        repairDate: '2026-01-05',
        notes,
      });
      await owner.post('/api/oil-changes', {
        vehicleId,
        mileage: 1000,
        changeDate: '2026-01-05',
        oilType: name,
        notes,
      });
      await owner.post('/api/catalog/parts', {
        label: 'brake-rotor',
        number: name.replaceAll(' ', '').slice(0, 30),
        brand: name.slice(0, 30),
        name,
        notes,
      });
      const company = { name, description: notes.slice(0, 1000) };
      const { id } = await owner.post('/api/company', company);
      await owner.post(`/api/company/${id}/members`, {
        userName: name,
        userEmail: 'somebody.with.a.long.address@the-garage-down-the-road.example.org',
      });
      await owner.open('/');
      await owner.scanAndWait(golden('brake-rotor').path);
      const sound = async () => {
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          await owner.expectNoOverflow();
        }
        // Names are said alike at each width, and asking is what takes the time of this journey.
        await owner.expectSound();
      };
      await sound();
      await page.getByRole('button', { name: /^Default vehicle/ }).click();
      await expect(page.getByRole('menuitemradio').first()).toContainText(name);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        await owner.expectNoOverflow();
      }
      await page.keyboard.press('Escape');
      for (const [path, shown] of [
        ['/vehicle', page.getByRole('heading', { name: new RegExp(name) }).first()],
        ['/history', page.getByRole('region', { name: 'Scan History' }).getByText(name).first()],
        ['/shop/parts', page.getByRole('main').getByText(name).first()],
        ['/parts/brake', page.getByRole('main').getByText(name).first()],
        ['/profile', page.getByRole('heading', { name }).first()],
        ['/shop/team', page.getByText('pending')],
      ] as const) {
        await owner.open(path);
        await expect(shown).toBeVisible();
        await sound();
      }
    });
  }

  test('a name from right to left turns nothing around it', async ({ owner }) => {
    const { page } = owner;
    await owner.post('/api/vehicles', { make: 'هوندا', model: 'سيفيك', year: 2015 });
    await owner.open('/vehicle');
    const heading = page.getByRole('heading', { name: 'هوندا سيفيك' }).locator('bdi');
    expect(await heading.evaluate((name) => getComputedStyle(name).unicodeBidi)).toBe('isolate');
    // What is typed follows its own direction.
    await page.getByRole('button', { name: /^Edit .*هوندا/ }).click();
    const make = page.getByRole('dialog').getByRole('combobox', { name: 'Make' });
    expect(await make.evaluate((input) => input.matches(':dir(rtl)'))).toBe(true);
  });
});

test.describe('large', () => {
  test.use({ settings: { PARTSIGHT_PLAN: 'business' } });

  test('500 vehicles', async ({ owner }) => {
    test.slow();
    const { page } = owner;
    const make = (n: number) => ({ make: 'Ford', model: `Transit ${n}`, year: 2000 + (n % 20) });
    for (let first = 1; first < 500; first += 20) {
      await Promise.all(
        Array.from({ length: Math.min(20, 500 - first) }, (_, n) =>
          owner.post('/api/vehicles', make(first + n)),
        ),
      );
    }
    await owner.open('/');
    await page.getByRole('button', { name: /2015 Honda Civic/ }).click();
    await expect(page.getByRole('menuitemradio')).toHaveCount(500);
    await page.getByRole('menuitem', { name: 'Search all 500 vehicles' }).click();
    await expect(page.getByRole('article')).toHaveCount(60);
    await owner.expectSound();
    await page.getByRole('searchbox', { name: 'Search vehicles' }).fill('transit 444');
    await expect(page.getByRole('article')).toHaveCount(1);
    await page.getByRole('button', { name: /Transit 444 the default vehicle/ }).click();
    await expect(page.getByRole('button', { name: /^Default vehicle.*Transit 444/ })).toBeVisible();
  });

  test('10,000 scans in the history', async ({ owner }) => {
    test.slow();
    const { page, server } = owner;
    await owner.scanAndWait(golden('brake-rotor').path);
    copyScan(join(server.dataDir, 'partsight.db'), 9_999);
    await owner.open('/history');
    const rows = page.getByRole('region', { name: 'Scan History' }).getByRole('listitem');
    await expect(rows).toHaveCount(20);
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect(rows).toHaveCount(40);
    await owner.expectSound();
    await page.getByRole('searchbox', { name: 'Search scans' }).fill('no such part');
    await expect(page.getByText('No scan fits')).toBeVisible();
    await page.getByRole('searchbox', { name: 'Search scans' }).fill('rotor civic');
    await expect(rows).toHaveCount(20);
    await owner.goTo('Scan');
    await expect(rows).toHaveCount(3);
  });
});

/** Copies the one scan of a garage, each copy a minute older: ten thousand photographs would take an hour. */
function copyScan(database: string, copies: number) {
  const script = `
import sqlite3, sys, uuid
database = sqlite3.connect(sys.argv[1], timeout=30)
columns = [column[1] for column in database.execute("PRAGMA table_info(scan)")]
scan = dict(zip(columns, database.execute("SELECT * FROM scan").fetchone()))
rows = ({**scan, "scan_id": str(uuid.uuid4()), "scanned_at": scan["scanned_at"] - 60000 * n}
        for n in range(1, int(sys.argv[2]) + 1))
names = ", ".join(":" + column for column in columns)
with database:
    database.executemany(f"INSERT INTO scan ({', '.join(columns)}) VALUES ({names})", rows)
`;
  execFileSync('python3', ['-c', script, database, String(copies)]);
}
