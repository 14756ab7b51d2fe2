import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { useState } from 'react';
import { expect, it, vi } from 'vitest';
import { listWaiting } from '@/features/scanning/offline-queue/store';
import { rotorResult } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { Bench, choose, identified, photo, png } from '@/testing/scanning';
import { server } from '@/testing/server';

it.each([
  ['no answer came', () => HttpResponse.error()],
  ['only a proxy answered', () => HttpResponse.text('504', { status: 504 })],
  ['it may have been counted', () => HttpResponse.json({ code: 'internal' }, { status: 500 })],
  ['the upload stalled', () => HttpResponse.json({ code: 'upload-stalled' }, { status: 408 })],
])(
  'sends a scan again under the same key where %s, and under another after an answer',
  async (_, refusal) => {
    const sent = identified(refusal, () =>
      HttpResponse.json({ detail: 'Unclear.' }, { status: 422 }),
    );
    const { person } = renderScreen(<Bench />);
    choose(photo);
    for (let n = 0; n < 2; n += 1) {
      await person.click(await screen.findByRole('button', { name: 'Try Again' }));
      await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
    }
    await screen.findByText('flow: result');
    const [first, second, third] = sent.mock.calls.map(([, key]) => key);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  },
);

it('sends a cancelled scan again under the same key, and another photo under its own', async () => {
  const keys: (string | null)[] = [];
  server.use(
    http.post('/api/identify', ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return keys.length < 4 ? new Promise<never>(() => undefined) : HttpResponse.json(rotorResult);
    }),
  );
  const { person } = renderScreen(<Bench />);
  choose(photo);
  /** Cancels the nth request once it has arrived: one that is aborted before does not arrive at all. */
  const cancel = async (nth: number) => {
    await waitFor(() => expect(keys).toHaveLength(nth));
    await person.click(await screen.findByRole('button', { name: 'Cancel' }));
  };
  await cancel(1);
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  await cancel(2);
  choose(png('other.png'));
  await cancel(3);
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  await screen.findByText('flow: result');
  const [first, again, other, otherAgain] = keys;
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(otherAgain).toBe(other);
});

it('sends a scan again that used the last one, and whose answer did not come', async () => {
  const sent = identified(() => HttpResponse.error());
  function Counting() {
    const [scansLeft, setScansLeft] = useState(1);
    return (
      <>
        <Bench hasScansLeft={() => Promise.resolve(scansLeft > 0)} />
        <button onClick={() => setScansLeft(0)}>Learn that it was counted</button>
      </>
    );
  }
  const { person } = renderScreen(<Counting />);
  choose(photo);
  await person.click(await screen.findByRole('button', { name: 'Try Again' }));
  await person.click(screen.getByRole('button', { name: 'Learn that it was counted' }));
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  expect(await screen.findByText('flow: result')).toBeVisible();
  choose(png('other.png'));
  expect(await screen.findByRole('dialog', { name: 'Analysis Failed' })).toHaveTextContent(
    'Monthly scan limit exceeded.',
  );
  expect(sent).toHaveBeenCalledTimes(2);
});

it('waits for the answer of a scan that the server is still at', async () => {
  const sent = identified(() => HttpResponse.json({ detail: 'It is running.' }, { status: 409 }));
  renderScreen(<Bench />);
  choose(photo);
  expect(await screen.findByText('flow: result')).toBeVisible();
  const [first, second] = sent.mock.calls.map(([, key]) => key);
  expect(second).toBe(first);
});

it('keeps a scan that no answer came to under the key that it was sent under', async () => {
  const sent = identified(() => HttpResponse.error());
  const { person } = renderScreen(<Bench />);
  choose(png('front.png'), png('back.png'));
  await person.click(await screen.findByRole('button', { name: 'Scan 2 Photos' }));
  await person.click(await screen.findByRole('button', { name: 'Keep and Send Later' }));
  expect(await screen.findByText('flow: kept')).toBeVisible();
  expect(await listWaiting('user-1')).toMatchObject([
    { id: sent.mock.calls[0]?.[1], photos: [{ name: 'front.png' }, { name: 'back.png' }] },
  ]);
});

it('sends a photo of several parts again, or keeps it, as one of several parts', async () => {
  const kinds: (string | null)[] = [];
  const keys: (string | null)[] = [];
  server.use(
    http.post('/api/identify', ({ request }) => {
      kinds.push(new URL(request.url).searchParams.get('several'));
      keys.push(request.headers.get('Idempotency-Key'));
      return kinds.length === 1
        ? HttpResponse.json({ code: 'not-identified', detail: 'No part.' }, { status: 422 })
        : HttpResponse.error();
    }),
  );
  const { person } = renderScreen(<Bench />);
  choose(photo);
  await person.click(await screen.findByRole('button', { name: 'Look for Several Parts' }));
  await person.click(await screen.findByRole('button', { name: 'Try Again' }));
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  await person.click(await screen.findByRole('button', { name: 'Keep and Send Later' }));
  expect(await screen.findByText('flow: kept')).toBeVisible();
  expect(kinds).toEqual([null, 'true', 'true']);
  expect(keys[2]).toBe(keys[1]);
  expect(await listWaiting('user-1')).toMatchObject([{ id: keys[1], isOfSeveral: true }]);
});

it('asks the server without a network, for it may be this machine, and keeps the photo if nobody answers', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const sent = identified(
    () => HttpResponse.json(rotorResult),
    () => HttpResponse.error(),
  );
  renderScreen(<Bench />);
  choose(photo);
  expect(await screen.findByText('flow: result')).toBeVisible();
  expect(await listWaiting('user-1')).toEqual([]);
  choose(png('other.png'));
  expect(await screen.findByText('flow: kept')).toBeVisible();
  expect(await listWaiting('user-1')).toMatchObject([{ id: sent.mock.calls[1]?.[1] }]);
});
