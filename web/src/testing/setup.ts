import '@testing-library/jest-dom/vitest';
import 'fake-indexeddb/auto';
import { cleanup, configure } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { server } from '@/testing/server';

// Wide enough for a machine that is busy with something else; nothing waits without a reason.
configure({ asyncUtilTimeout: 10_000 });

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  // Most files share what is global with those that run after them.
  vi.useRealTimers();
  cleanup();
  sessionStorage.clear();
  localStorage.clear();
  globalThis.indexedDB = new IDBFactory();
  server.resetHandlers();
});
afterAll(() => server.close());

// jsdom lays nothing out; what these would report does not matter to the tests.
Element.prototype.scrollIntoView = () => undefined;
Element.prototype.hasPointerCapture = () => false;
URL.createObjectURL = () => 'blob:test';
URL.revokeObjectURL = () => undefined;
// A mouse and no touch; nothing else is asked.
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), { media, matches: false }) as MediaQueryList;
globalThis.ResizeObserver = class {
  observe() {
    return undefined;
  }
  unobserve() {
    return undefined;
  }
  disconnect() {
    return undefined;
  }
};
// A jsdom of this age reads blobs through a `FileReader` only.
Blob.prototype.arrayBuffer = function (this: Blob) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result as ArrayBuffer);
    reader.readAsArrayBuffer(this);
  });
};
