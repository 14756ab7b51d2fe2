import { defineConfig } from '@playwright/test';
import config from './playwright.config';

/** `npm run screenshots`: the pictures of the README, taken again. */
export default defineConfig({
  ...config,
  testDir: 'e2e',
  testMatch: 'screenshots.ts',
  fullyParallel: false,
  workers: 1,
  projects: [{ name: 'screenshots' }],
});
