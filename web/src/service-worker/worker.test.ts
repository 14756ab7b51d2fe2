import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** The part of a worker's surroundings that it asks. */
const surroundings = Object.assign(new EventTarget(), {
  location: { origin: 'https://shop.example' },
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

/** What is kept: the text of each file by its path. */
const files = new Map<string, string>();

function findFile(request: Request | string) {
  const path = typeof request === 'string' ? request : new URL(request.url).pathname;
  const text = files.get(path);
  return Promise.resolve(text === undefined ? undefined : new Response(text));
}

const kept = {
  match: findFile,
  put: async ({ url }: Request, response: Response) => {
    files.set(new URL(url).pathname, await response.text());
  },
  keys: () => Promise.resolve([]),
};

/** What the page gets, and all that the worker still does. */
function open(path: string, mode: RequestMode) {
  let answer: Promise<Response> = Promise.reject(new Error('The worker left it to the browser.'));
  answer.catch(() => undefined);
  const work: Promise<unknown>[] = [];
  const event = Object.assign(new Event('fetch'), {
    // No request that a program makes is a navigation.
    request: Object.defineProperty(new Request(`https://shop.example${path}`), 'mode', {
      value: mode,
    }),
    respondWith: (given: Promise<Response>) => (answer = given),
    waitUntil: (promise: Promise<unknown>) => work.push(promise),
  });
  surroundings.dispatchEvent(event);
  return { text: () => answer.then((response) => response.text()), work };
}

const openPage = () => open('/history', 'navigate');
const openFacts = () => open('/api/model', 'cors');
const fetched = vi.fn<() => Promise<Response>>();
const PROBLEM = { 'Content-Type': 'application/problem+json' };

beforeEach(async () => {
  files.clear();
  vi.stubGlobal('fetch', fetched);
  vi.stubGlobal('caches', { match: findFile, open: () => Promise.resolve(kept) });
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

describe.each([
  ['a page', openPage, '/'],
  ['the facts of the model', openFacts, '/api/model'],
])('%s', (_, openIt, path) => {
  it('comes from the server', async () => {
    files.set(path, 'kept');
    fetched.mockResolvedValue(new Response('new'));
    expect(await openIt().text()).toBe('new');
  });

  it.each([
    ['is away', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['is away behind a proxy', () => Promise.resolve(new Response('502', { status: 502 }))],
    ['is unknown to a proxy', () => Promise.resolve(new Response('no page', { status: 404 }))],
  ])('is what is kept where the server %s', async (__, answer) => {
    fetched.mockImplementation(answer);
    // Nothing else is left to say where nothing is kept.
    const without = openIt().text();
    await answer().then(
      async (response) => expect(await without).toBe(await response.text()),
      () => expect(without).rejects.toThrow('Failed to fetch'),
    );
    files.set(path, 'kept');
    expect(await openIt().text()).toBe('kept');
  });

  it('is what is kept where the server takes too long', async () => {
    files.set(path, 'kept');
    let end: (response: Response) => void = () => undefined;
    fetched.mockReturnValue(new Promise((resolve) => (end = resolve)));
    const { text, work } = openIt();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await text()).toBe('kept');
    end(new Response('late'));
    await Promise.all(work);
    // A page belongs to the files of its version, which come with the next worker.
    expect(files.get(path)).toBe(path === '/' ? 'kept' : 'late');
  });
});

it('says what the server says of a model that no browser can run', async () => {
  files.set('/api/model', 'kept');
  fetched.mockResolvedValue(new Response('none', { status: 404, headers: PROBLEM }));
  expect(await openFacts().text()).toBe('none');
});
