import { defineConfig } from '@playwright/test';
import config from './playwright.config';

/**
 * `npm run screenshots`: the picture of the README; `npm run icons`: those of the installed app;
 * `npm run performance`: how Home loads.
 */
export default defineConfig({
  ...config,
  testDir: 'e2e',
  fullyParallel: false,
  workers: 1,
  projects: [
    { name: 'screenshots', testMatch: 'screenshots.ts' },
    { name: 'icons', testMatch: 'icons.ts' },
    { name: 'performance', testMatch: 'performance.ts' },
  ],
});
