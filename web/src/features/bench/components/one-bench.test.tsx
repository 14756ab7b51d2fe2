import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Shot } from '@/features/bench/camera/frames';
import { readList } from '@/features/bench/list/store';
import { benchLine, openBench } from '@/testing/bench';
import { ada, rotorResult } from '@/testing/fixtures';
import { server } from '@/testing/server';

/** The bench in several tabs of one person: pages in one document, with one storage. */

// The camera, in whose place the test lays parts down.
let lay: (shot: Shot) => void = () => undefined;
vi.mock('@/features/bench/camera/use-watching', () => ({
  useWatching: ({ onShot }: { onShot: typeof lay }) => {
    lay = onShot;
    return { phase: 'empty', scanNow: vi.fn(), learn: vi.fn() };
  },
}));

/** Locks as browsers have them: one holder of each at a time, in the order of asking. jsdom has none. */
class Locks {
  readonly #ends = new Map<string, Promise<unknown>>();

  async request(
    name: string,
    { signal, ifAvailable }: { signal?: AbortSignal; ifAvailable?: boolean },
    hold: (lock: object | null) => Promise<void>,
  ) {
    const end = this.#ends.get(name);
    if (ifAvailable === true && end !== undefined) return hold(null);
    const over = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    });
    const held = Promise.resolve(end).then(() => (signal?.aborted ? undefined : hold({})));
    this.#ends.set(name, held);
    void held.then(() => this.#ends.get(name) === held && this.#ends.delete(name));
    return Promise.race([held, over]);
  }
}

beforeEach(() => {
  Object.defineProperty(navigator, 'locks', { value: new Locks(), configurable: true });
});
afterEach(() => {
  Reflect.deleteProperty(navigator, 'locks');
});

const ELSEWHERE = 'The bench is open in another tab';

async function openTwice() {
  const first = openBench([benchLine(1)]);
  const one = within(first.container);
  await one.findByText('Running List');
  const second = openBench(readList(ada.id).lines);
  const other = within(second.container);
  await other.findByText(ELSEWHERE);
  return { ...first, one, other };
}

it('takes over with all that the other tab had, also the answer that was on its way', async () => {
  const answers: (() => void)[] = [];
  server.use(
    http.post('/api/identify', async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return HttpResponse.json(rotorResult);
    }),
    http.get('/api/scans/:id/reading', () => HttpResponse.error()),
  );
  const { person, one, other } = await openTwice();
  const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'bench.jpg' };
  act(() => lay({ photo: Promise.resolve(photo), thumb: 'data:,' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  await person.click(other.getByRole('button', { name: 'Use It Here' }));
  expect(other.getByRole('status')).toHaveTextContent(/once the answers on their way have come/);
  // The other tab knows by then, and would have left the bench.
  await new Promise((resolve) => setTimeout(resolve, 100));
  answers.forEach((answer) => answer());
  const rows = within(await other.findByRole('list', { name: /^Parts/ })).getAllByRole('listitem');
  expect(rows).toHaveLength(2);
  expect(rows[0]).toHaveTextContent(/% match/);
  expect(one.getByText(ELSEWHERE)).toBeVisible();
  expect(screen.getAllByRole('group', { name: 'Bench' })[1]).toHaveFocus();
});

it('asks itself for the answer to a part that another tab sent before it left', async () => {
  let isAnswered = false;
  let answer: () => void = () => undefined;
  let sent = 0;
  server.use(
    http.post('/api/identify', async () => {
      sent += 1;
      if (sent === 1) await new Promise<void>((resolve) => (answer = resolve));
      // The server is still at it.
      else if (!isAnswered) return HttpResponse.json({ status: 409 }, { status: 409 });
      isAnswered = true;
      return HttpResponse.json(rotorResult);
    }),
    http.get('/api/scans/:id/reading', () => HttpResponse.error()),
  );
  const { unmount, other } = await openTwice();
  const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'bench.jpg' };
  act(() => lay({ photo: Promise.resolve(photo), thumb: 'data:,' }));
  await waitFor(() => expect(sent).toBe(1));
  unmount();
  const rows = async () =>
    within(await other.findByRole('list', { name: /^Parts/ })).getAllByRole('listitem');
  expect(await rows()).toHaveLength(2);
  await waitFor(() => expect(sent).toBe(2));
  answer();
  // The tab that left would have written over the list, or forgotten the photo, by now.
  await new Promise((resolve) => setTimeout(resolve, 200));
  window.dispatchEvent(new Event('online'));
  await waitFor(async () => expect((await rows())[0]).toHaveTextContent(/% match/));
});

it('lets the tab that asks go before one that only waits', async () => {
  const { person, other } = await openTwice();
  const third = within(openBench(readList(ada.id).lines).container);
  await person.click(await third.findByRole('button', { name: 'Use It Here' }));
  expect(await third.findByText('Running List')).toBeVisible();
  expect(other.getByText(ELSEWHERE)).toBeVisible();
});
