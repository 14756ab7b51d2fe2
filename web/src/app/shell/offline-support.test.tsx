import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OfflineSupport } from '@/app/shell/offline-support';
import { outbox } from '@/features/scanning/offline-queue/outbox';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import { addWaiting, listWaiting } from '@/features/scanning/offline-queue/store';
import { ada, rotorResult, waitingScan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

const SEND_AGAIN_MS = 30_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  answer('get', '/api/vehicles/default', null);
});
afterEach(() => {
  vi.useRealTimers();
});

const kept = (id: string) => addWaiting({ ...waitingScan, id, userId: ada.id });
const left = async () =>
  (await listWaiting(ada.id)).map(({ id, refusal }) => [id, refusal !== null]);

it('sends what is kept while only the server is away, once it is back', async () => {
  answer('post', '/api/identify', rotorResult);
  const flush = vi.spyOn(outbox, 'flush');
  const { queryClient } = renderScreen(<OfflineSupport user={ada} />);
  // The first round finds nothing to send.
  await flush.mock.results[0]?.value;
  await act(async () => {
    await kept('kept');
    await queryClient.invalidateQueries({ queryKey: waitingQuery(ada.id).queryKey });
    // The screen hears of it a turn later.
    await new Promise((turn) => setTimeout(turn));
  });
  act(() => void vi.advanceTimersByTime(SEND_AGAIN_MS));
  expect(await screen.findByText('A kept photo was answered')).toBeVisible();
  expect(await left()).toEqual([]);
});

it('sends what is kept at the next start where the allowance was used up', async () => {
  await kept('first');
  await kept('second');
  const asked = vi.fn();
  server.use(
    http.post('/api/identify', () => {
      asked();
      return HttpResponse.json({ title: 'No', status: 429 }, { status: 429 });
    }),
  );
  const flush = vi.spyOn(outbox, 'flush');
  const { unmount } = renderScreen(<OfflineSupport user={ada} />);
  // The first round ends with the refusal of the first.
  await flush.mock.results[0]?.value;
  await act(async () => {
    await vi.advanceTimersByTimeAsync(2 * SEND_AGAIN_MS);
  });
  expect(asked).toHaveBeenCalledOnce();
  unmount();
  answer('post', '/api/identify', rotorResult);
  renderScreen(<OfflineSupport user={ada} />);
  await waitFor(async () => expect(await left()).toEqual([]));
});

it('gives up a scan that gets no answer, and sends it again under its key', async () => {
  await kept('lost');
  const setLater = globalThis.setTimeout;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((act: () => void, ms = 0) =>
    // More than a minute passes at once.
    setLater(act, ms > 60_000 ? 0 : ms),
  );
  const keys: (string | null)[] = [];
  server.use(
    http.post('/api/identify', ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return keys.length === 1
        ? new Promise<never>(() => undefined)
        : HttpResponse.json(rotorResult);
    }),
  );
  const flush = vi.spyOn(outbox, 'flush');
  renderScreen(<OfflineSupport user={ada} />);
  await flush.mock.results[0]?.value;
  expect(outbox.snapshot().waitingFor).toBe('unreachable');
  await act(async () => {
    await vi.advanceTimersByTimeAsync(SEND_AGAIN_MS);
  });
  await waitFor(async () => expect(await left()).toEqual([]));
  expect(new Set(keys)).toEqual(new Set(['lost']));
});
