import { defineConfig } from '@playwright/test';
import { CHROMIUM_ARGS, CHROMIUM_PATH } from './e2e/chromium';

const CI = Boolean(process.env.CI);

export default defineConfig({
  testDir: 'e2e',
  // Each test starts a server of its own; more at once than cores makes them all slow: three took 16 minutes, two 12.
  workers: 2,
  fullyParallel: true,
  forbidOnly: CI,
  // A fault fails twice; a race with a busy machine passes the second time, and the report names it as flaky.
  retries: CI ? 1 : 0,
  // Wide enough for a machine that is busy with something else; nothing waits without a reason.
  timeout: 120_000,
  globalTimeout: 40 * 60_000,
  expect: { timeout: 20_000 },
  reporter: CI ? [['list'], ['html', { open: 'never' }]] : 'list',
  use: {
    // A trace of each journey, kept or not, costs a fifth of the time.
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    locale: 'en-US',
    timezoneId: 'America/Los_Angeles',
    reducedMotion: 'reduce',
    // Requests that a worker makes cannot be answered by a test; the journeys about it let it in.
    serviceWorkers: 'block',
    launchOptions: { executablePath: CHROMIUM_PATH, args: CHROMIUM_ARGS },
  },
  projects: [
    { name: 'phone', use: { viewport: { width: 360, height: 760 }, hasTouch: true } },
    {
      // A wide window changes what is laid out where; how a scan fails is the same.
      name: 'desktop',
      testMatch: /(first-scan|screens|garage|history|home)\.spec\.ts/,
      use: { viewport: { width: 1440, height: 900 } },
    },
  ],
});
