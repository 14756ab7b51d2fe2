import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { chunks } from './vite.chunks.ts';
import { importAgain } from './vite.imports.ts';
import { precache } from './vite.precache.ts';

const apiServer = process.env.PARTSIGHT_API ?? 'http://127.0.0.1:8080';

// The server refuses a write whose Origin is not its Host, so the Host stays the browser's.
const toServer = { target: apiServer, changeOrigin: false };
const proxy = { '/api': toServer, '/health': toServer };

const TESTS = 'src/**/*.test.{ts,tsx}';
// The others find in memory what the files before them have loaded: each on its own took three times as long.
const SRC = fileURLToPath(new URL('./src/', import.meta.url));
const replacing = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.test\.tsx?$/.test(file))
  .filter((file) => /vi\.(mock|resetModules)\(/.test(readFileSync(SRC + file, 'utf8')))
  .map((file) => `src/${file}`);

export default defineConfig({
  plugins: [react(), tailwindcss(), importAgain(), precache()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { proxy },
  // Found only when a camera starts, they would load the page of a developer anew at that moment.
  optimizeDeps: { include: ['onnxruntime-web/wasm', 'onnxruntime-web/jspi'] },
  preview: { proxy },
  build: {
    target: 'es2023',
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL('./index.html', import.meta.url)),
        'service-worker': fileURLToPath(new URL('./src/service-worker/worker.ts', import.meta.url)),
      },
      output: {
        // A worker is known by its address, and rules the folder that it lies in.
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js',
        codeSplitting: chunks(),
      },
    },
  },
  test: {
    environment: 'jsdom',
    environmentOptions: { jsdom: { url: 'http://partsight.test/' } },
    setupFiles: ['src/testing/setup.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    // For a machine that is busy with something else.
    testTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: [TESTS], exclude: replacing, isolate: false },
      },
      // What a test replaces must not be loaded before it.
      { extends: true, test: { name: 'alone', include: replacing } },
    ],
  },
});
