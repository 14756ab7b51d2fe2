import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const apiServer = process.env.PARTSIGHT_API ?? 'http://127.0.0.1:8080';

// The server refuses a write whose Origin is not its Host, so the Host stays the browser's.
const proxy = { '/api': { target: apiServer, changeOrigin: false } };

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy },
  preview: { proxy },
  build: {
    target: 'es2023',
    rolldownOptions: {
      output: {
        // React and the router change less often than the screens do; in a file of their own
        // they stay in the browser's cache across releases.
        manualChunks: (id) =>
          /node_modules\/(react|react-dom|react-router|scheduler|@tanstack)\//.test(id)
            ? 'framework'
            : undefined,
      },
    },
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://partsight.test/' } },
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    // For a machine that is busy with something else.
    testTimeout: 60_000,
  },
});
