import 'fake-indexeddb/auto';
import { screen, waitFor } from '@testing-library/react';
import { IDBFactory } from 'fake-indexeddb';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { standingOf } from '@/features/bench/list/model';
import { readList } from '@/features/bench/list/store';
import { useBenchList } from '@/features/bench/list/use-bench-list';
import { listWaiting } from '@/features/scanning/offline-queue/store';
import { ada, civic, rotorResult } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

/** The list with a button that a part lying still presses. */
function Bench() {
  const list = useBenchList({ userId: ada.id, vehicle: civic, onAnswer: () => undefined });
  const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'bench.jpg' };
  const { current } = list;
  return (
    <>
      <button onClick={() => void list.scan({ photo: Promise.resolve(photo), thumb: '' })}>
        Lay
      </button>
      <button onClick={() => current !== null && list.takeOut(current)}>Take out</button>
      <button onClick={() => current !== null && list.choose(current, null)}>No part</button>
      <button onClick={list.clear}>New list</button>
      <ul>
        {list.lines.map((line) => (
          <li key={line.key}>{standingOf(line)}</li>
        ))}
      </ul>
    </>
  );
}

const lines = () => screen.queryAllByRole('listitem').map(({ textContent }) => textContent);

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

it('sends each part under a key of its own, without waiting for the answer to the last', async () => {
  const keys: (string | null)[] = [];
  let answer: () => void = () => undefined;
  const asked = new Promise<undefined>((resolve) => {
    answer = () => resolve(undefined);
  });
  server.use(
    http.post('/api/identify', async ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      await asked;
      return HttpResponse.json(rotorResult);
    }),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  expect(lines()).toEqual(['The photo is on its way', 'The photo is on its way']);
  await waitFor(() => expect(new Set(keys).size).toBe(2));
  answer();
  await waitFor(() =>
    expect(lines().map((line) => line.slice(-7))).toEqual(['% match', '% match']),
  );
});

it('keeps a part while the server is away, and gives it the answer that comes later', async () => {
  let isAway = true;
  const keys = new Set<string | null>();
  server.use(
    http.post('/api/identify', ({ request }) => {
      keys.add(request.headers.get('Idempotency-Key'));
      return isAway ? HttpResponse.error() : HttpResponse.json(rotorResult);
    }),
    http.get('/api/model', () => HttpResponse.error()),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()).toEqual(['Sent once the server is back']));
  expect(await listWaiting(ada.id)).toHaveLength(1);
  isAway = false;
  window.dispatchEvent(new Event('online'));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  expect(keys.size).toBe(1);
  expect(await listWaiting(ada.id)).toEqual([]);
});

it('says why the server refuses a part', async () => {
  server.use(
    http.post('/api/identify', () =>
      HttpResponse.json({ title: 'No', status: 422, detail: 'Too dark.' }, { status: 422 }),
    ),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()).toEqual(['Too dark.']));
});

it('deletes the scan of a part that was taken out when the bench is left', async () => {
  const deleted: string[] = [];
  server.use(
    http.post('/api/identify', () => HttpResponse.json(rotorResult)),
    http.delete('/api/scans/:id', ({ params }) => {
      deleted.push(String(params.id));
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { person, unmount } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  expect(deleted).toEqual([]);
  unmount();
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
});

it('deletes at once what was taken out, and nothing else, when a new list is begun', async () => {
  const deleted: string[] = [];
  let sent = 0;
  server.use(
    http.post('/api/identify', () => {
      sent += 1;
      return HttpResponse.json({ ...rotorResult, id: `scan-${sent}` });
    }),
    http.delete('/api/scans/:id', ({ params }) => {
      deleted.push(String(params.id));
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { person } = renderScreen(<Bench />);
  for (const nLines of [1, 2]) {
    await person.click(screen.getByRole('button', { name: 'Lay' }));
    await waitFor(() => expect(lines()[nLines - 1]).toMatch(/% match$/));
  }
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  await person.click(screen.getByRole('button', { name: 'New list' }));
  await waitFor(() => expect(lines()).toEqual([]));
  expect(deleted).toEqual(['scan-2']);
});

it('begins a new list without what was taken out, also while the server does not delete it', async () => {
  let isAway = true;
  server.use(
    http.post('/api/identify', () => HttpResponse.json(rotorResult)),
    http.delete('/api/scans/:id', () =>
      isAway ? HttpResponse.error() : new HttpResponse(null, { status: 204 }),
    ),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  await person.click(screen.getByRole('button', { name: 'New list' }));
  expect(lines()).toEqual([]);
  expect(readList(ada.id).lines).toMatchObject([{ answer: { scanId: rotorResult.id } }]);
  isAway = false;
  await waitFor(() => expect(readList(ada.id).lines).toEqual([]), { timeout: 3000 });
});

it('takes back what a person said where the server does not have it', async () => {
  server.use(
    http.post('/api/identify', () => HttpResponse.json(rotorResult)),
    http.post('/api/scans/:id/feedback', () =>
      HttpResponse.json({ title: 'No', status: 500 }, { status: 500 }),
    ),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'No part' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  expect(await screen.findByText(/could not be saved/)).toBeVisible();
});
