import { vi } from 'vitest';

/** What is in the file that the worker makes. */
export const SHRUNK = 'x'.repeat(100);

/** A worker that makes a JPEG of more bytes of whatever it gets, and notes what that was. */
export function withShrinkWorker() {
  const asked = vi.fn<(request: object) => void>();
  class FakeWorker extends EventTarget {
    postMessage(request: object) {
      asked(request);
      const data = new Blob([SHRUNK], { type: 'image/jpeg' });
      this.dispatchEvent(new MessageEvent('message', { data }));
    }
    terminate = () => undefined;
  }
  vi.stubGlobal('Worker', FakeWorker);
  vi.stubGlobal('OffscreenCanvas', Object);
  return asked;
}
