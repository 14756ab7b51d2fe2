import { afterEach, beforeEach, expect, it, vi } from 'vitest';

/** The part of a worker's surroundings that is asked before it takes over. */
const surroundings = Object.assign(new EventTarget(), {
  clients: { matchAll: vi.fn<(options: object) => Promise<Page[]>>() },
  skipWaiting: vi.fn(),
});

type Page = { postMessage: (message: string, ports: MessagePort[]) => void };

const answering = (answer: boolean): Page => ({
  postMessage: (message, [port]) => {
    if (message === 'is-in-the-middle') port?.postMessage(answer);
  },
});
const silent: Page = { postMessage: () => undefined };

/** A page lets the worker in; true if it was refused. */
async function letIn(...pages: Page[]): Promise<boolean> {
  surroundings.clients.matchAll.mockResolvedValue(pages);
  const asker = { postMessage: vi.fn() };
  const work: Promise<void>[] = [];
  const event = Object.assign(new Event('message'), {
    data: 'take-over',
    ports: [asker],
    waitUntil: (promise: Promise<void>) => work.push(promise),
  });
  surroundings.dispatchEvent(event);
  await Promise.all(work);
  return asker.postMessage.mock.calls.length > 0;
}

beforeEach(async () => {
  vi.stubGlobal('self', surroundings);
  vi.stubGlobal('__PRECACHE__', { version: '1', shell: [], onDemand: [] });
  await import('@/service-worker/worker');
  // Whoever answers is not waited for by the clock.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
});
afterEach(() => {
  surroundings.skipWaiting.mockReset();
});

it('takes over once no page is in the middle of something', async () => {
  expect(await letIn(answering(false), answering(false))).toBe(false);
  expect(surroundings.skipWaiting).toHaveBeenCalledOnce();
  expect(surroundings.clients.matchAll).toHaveBeenCalledWith({
    type: 'window',
    includeUncontrolled: true,
  });
});

it('waits, and says so, while another page is in the middle of something', async () => {
  expect(await letIn(answering(false), answering(true))).toBe(true);
  expect(surroundings.skipWaiting).not.toHaveBeenCalled();
});

it('does not wait for a page that never answers', async () => {
  const isRefused = letIn(answering(false), silent);
  await vi.advanceTimersByTimeAsync(999);
  expect(surroundings.skipWaiting).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await isRefused).toBe(false);
  expect(surroundings.skipWaiting).toHaveBeenCalledOnce();
});
