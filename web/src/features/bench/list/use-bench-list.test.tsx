import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, onTestFinished, vi } from 'vitest';
import { canRetry, lastTakenOut, UNDO_MS, type BenchLine } from '@/features/bench/list/model';
import { keepList, readList } from '@/features/bench/list/store';
import { outbox } from '@/features/scanning/offline-queue/outbox';
import { addWaiting, findWaiting, listWaiting } from '@/features/scanning/offline-queue/store';
import { scannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import { benchLine } from '@/testing/bench';
import { Bench, lines } from '@/testing/bench-list';
import { ada, civic, rotorResult } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

/** Holds the answers of the server back until each is called for. */
function holdAnswers(): (() => void)[] {
  const answers: (() => void)[] = [];
  let isOver = false;
  // What gets no answer for long is kept: that would be in the middle of another test.
  onTestFinished(() => {
    isOver = true;
    answers.forEach((answer) => answer());
  });
  server.use(
    http.post('/api/identify', async () => {
      await new Promise<void>((resolve) => answers.push(resolve));
      return HttpResponse.json(rotorResult, { status: isOver ? 422 : 200 });
    }),
  );
  return answers;
}

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

it('waits no longer for a part that a page sent which is closed by now', async () => {
  const waiting: Partial<BenchLine> = { answer: { state: 'waiting', guess: null } };
  keepList(ada.id, { lines: [benchLine(1, waiting), benchLine(2, waiting)], bin: '' });
  server.use(http.post('/api/identify', () => HttpResponse.error()));
  const [, second] = readList(ada.id).lines;
  await addWaiting({
    id: second?.key ?? '',
    userId: ada.id,
    vehicle: scannedVehicle(civic),
    photos: [{ bytes: new ArrayBuffer(1), type: 'image/jpeg', name: 'bench.jpg' }],
    takenAt: 0,
    guess: null,
    refusal: null,
    isListed: true,
  });
  renderScreen(<Bench />);
  await waitFor(() =>
    expect(lines()).toEqual([
      'What was answered is in the scan history',
      'Sent once the server is back',
    ]),
  );
  // The next test has a server of its own, which must not be sent this photo.
  await waitFor(() => expect(outbox.snapshot().waitingFor).toBe('unreachable'));
});

it('tells the answer of a part unless it was taken out meanwhile', async () => {
  const answers = holdAnswers();
  const told = vi.fn<(line: BenchLine) => void>();
  const { person } = renderScreen(<Bench onAnswer={told} />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  await waitFor(() => expect(answers).toHaveLength(2));
  answers.forEach((answer) => answer());
  const states = () => readList(ada.id).lines.map(({ answer }) => answer.state);
  await waitFor(() => expect(states()).toEqual(['answered', 'answered']));
  expect(told.mock.calls.map(([{ number }]) => number)).toEqual([1]);
});

it('tells no answer that comes after the bench was left', async () => {
  const answers = holdAnswers();
  const told = vi.fn<(line: BenchLine) => void>();
  const { person, queryClient, unmount } = renderScreen(<Bench onAnswer={told} />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  unmount();
  answers.forEach((answer) => answer());
  await waitFor(() => expect(queryClient.isMutating()).toBe(0));
  expect(told).not.toHaveBeenCalled();
});

it.each([
  [200, rotorResult, { state: 'answered', scanId: rotorResult.id }],
  [422, { detail: 'Too dark.' }, { state: 'refused', message: 'Too dark.' }],
])('lists what becomes of a part after the bench was left (%i)', async (status, body, answer) => {
  let release: () => void = () => undefined;
  server.use(
    http.post('/api/identify', async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return HttpResponse.json(body, { status });
    }),
  );
  const { person, unmount } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  const key = readList(ada.id).lines[0]?.key ?? '';
  await waitFor(async () => expect(await findWaiting(key)).toBeDefined());
  unmount();
  await waitFor(() => {
    release();
    expect(readList(ada.id).lines).toMatchObject([{ key, answer }]);
  });
  await waitFor(async () => expect(await findWaiting(key)).toBeUndefined());
});

it('keeps a part whose session ended, and does not send it over and over', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let sent = 0;
  server.use(
    http.post('/api/identify', () => {
      sent += 1;
      return HttpResponse.json({ title: 'Unauthorized', status: 401 }, { status: 401 });
    }),
    http.get('/api/model', () => HttpResponse.error()),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()).toEqual(['Sent once you have signed in']));
  // The queue asks once itself.
  await vi.waitFor(() => expect(outbox.snapshot().waitingFor).toBe('signed-out'));
  vi.advanceTimersByTime(30_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(sent).toBe(2);
  expect(await listWaiting(ada.id)).toHaveLength(1);
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

/** Notes the scans that the server is told to delete. */
function noteDeleted(): string[] {
  const deleted: string[] = [];
  server.use(
    http.delete('/api/scans/:id', ({ params }) => {
      deleted.push(String(params.id));
      return new HttpResponse(null, { status: 204 });
    }),
  );
  return deleted;
}

/** A list as a page that is loaded anew finds it: its part was taken out some time ago. */
function keepTakenOut() {
  const line = benchLine(1, { takenOutAt: Date.now() - 2 * UNDO_MS });
  keepList(ada.id, { lines: [line], bin: '' });
}

it('puts a part back that was taken out before the page was loaded anew', async () => {
  keepTakenOut();
  const { person } = renderScreen(<Bench />);
  expect(lines()).toEqual(['Taken out']);
  await person.click(screen.getByRole('button', { name: 'Put back' }));
  expect(lines()[0]).toMatch(/% match$/);
  expect(readList(ada.id).lines).toMatchObject([{ takenOutAt: null }]);
});

it('deletes what was taken out before the page was loaded anew once its time is over', async () => {
  keepTakenOut();
  const deleted = noteDeleted();
  vi.useFakeTimers({ toFake: ['Date'] });
  renderScreen(<Bench />);
  vi.setSystemTime(Date.now() + UNDO_MS);
  await waitFor(() => expect(lines()).toEqual([]));
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
});

it('deletes no scan of a part that is put back at the last moment', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  keepTakenOut();
  const deleted = noteDeleted();
  renderScreen(<Bench />);
  const putBack = screen.getByRole('button', { name: 'Put back' });
  act(() => {
    vi.setSystemTime(Date.now() + UNDO_MS);
    fireEvent.click(putBack);
    // It is looked what can go before the list is drawn with the part in it.
    vi.advanceTimersToNextTimer();
  });
  // A scan would be deleted by now.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines()[0]).toMatch(/% match$/);
  expect(deleted).toEqual([]);
});

it('deletes the scan of a part that was taken out when the bench is left', async () => {
  server.use(http.post('/api/identify', () => HttpResponse.json(rotorResult)));
  const deleted = noteDeleted();
  const { person, unmount } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  expect(deleted).toEqual([]);
  unmount();
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
  expect(lastTakenOut(readList(ada.id).lines)).toBeNull();
});

/** Lays a part down and takes it out while the server has its photo, and nothing is known of the answer. */
async function takeOutOnItsWay() {
  const answers = holdAnswers();
  const view = renderScreen(<Bench />);
  await view.person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  await view.person.click(screen.getByRole('button', { name: 'Take out' }));
  return { ...view, answers };
}

/** Loads the page anew before an answer came to it; the server, which knows the scan by its name, has it then. */
async function reloadOnItsWay({ person, unmount }: ReturnType<typeof renderScreen>, afterMs = 0) {
  const [line] = readList(ada.id).lines;
  const key = line?.key ?? '';
  await waitFor(async () => expect(await findWaiting(key)).toBeDefined());
  const name = `bench-list@${ada.id}`;
  const kept = localStorage.getItem(name) ?? '';
  unmount();
  localStorage.setItem(name, kept);
  if (afterMs > 0) vi.setSystemTime(Date.now() + afterMs);
  const keys: (string | null)[] = [];
  server.use(
    http.post('/api/identify', ({ request }) => {
      keys.push(request.headers.get('Idempotency-Key'));
      return HttpResponse.json(rotorResult);
    }),
  );
  renderScreen(<Bench />);
  return { person, key, keys };
}

it('deletes the scan of a part that was taken out on its way, and whose answer the page did not live to see', async () => {
  const deleted = noteDeleted();
  const { key, keys } = await reloadOnItsWay(await takeOutOnItsWay());
  expect(lines()).toEqual(['Taken out']);
  // No other screen shows or sends what is only kept to be deleted.
  expect(await listWaiting(ada.id)).toEqual([]);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + UNDO_MS);
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
  expect(keys).toEqual([key]);
  await waitFor(() => expect(lines()).toEqual([]));
  await waitFor(async () => expect(await findWaiting(key)).toBeUndefined());
});

it('gives a part that is put back after a reload its answer', async () => {
  const deleted = noteDeleted();
  const { person, key, keys } = await reloadOnItsWay(await takeOutOnItsWay());
  await person.click(screen.getByRole('button', { name: 'Put back' }));
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  expect(keys).toEqual([key]);
  expect(deleted).toEqual([]);
});

it('sends a photo again that was on its way when the page was loaded anew', async () => {
  const answers = holdAnswers();
  const view = renderScreen(<Bench />);
  await view.person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  // The page sends it itself; the queue would send it a second time.
  expect(await listWaiting(ada.id)).toEqual([]);
  const { key, keys } = await reloadOnItsWay(view);
  await waitFor(() => expect(lines()[0]).toMatch(/% match$/));
  expect(keys).toEqual([key]);
  await waitFor(async () => expect(await findWaiting(key)).toBeUndefined());
});

/** After this time the server knows the name of a photo no longer, in ms. */
const AGE_MS = 24 * 3_600_000;

it('leaves it to a person to send a photo again that was cut off a day ago', async () => {
  const answers = holdAnswers();
  const view = renderScreen(<Bench />);
  await view.person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(answers).toHaveLength(1));
  vi.useFakeTimers({ toFake: ['Date'] });
  const { key, keys } = await reloadOnItsWay(view, AGE_MS);
  await waitFor(() =>
    expect(lines()).toEqual([
      'It may have been answered already; see the scan history. Retry sends it again.',
    ]),
  );
  expect(canRetry(readList(ada.id).lines[0] ?? benchLine(1))).toBe(true);
  expect(await findWaiting(key)).toMatchObject({ refusal: { vehicleGone: false } });
  expect(keys).toEqual([]);
});

it('leaves it to a person as well where the part was taken out and is put back', async () => {
  const view = await takeOutOnItsWay();
  vi.useFakeTimers({ toFake: ['Date'] });
  const { person, keys } = await reloadOnItsWay(view, AGE_MS);
  await person.click(screen.getByRole('button', { name: 'Put back' }));
  await waitFor(() => expect(lines()[0]).toMatch(/Retry sends it again\.$/));
  expect(keys).toEqual([]);
});

it('makes no second scan of a part that was taken out on its way a day ago, only to delete it', async () => {
  const deleted = noteDeleted();
  const view = await takeOutOnItsWay();
  vi.useFakeTimers({ toFake: ['Date'] });
  const { key, keys } = await reloadOnItsWay(view, AGE_MS);
  vi.setSystemTime(Date.now() + UNDO_MS);
  await waitFor(() => expect(lines()).toEqual([]));
  await waitFor(async () => expect(await findWaiting(key)).toBeUndefined());
  expect(keys).toEqual([]);
  expect(deleted).toEqual([]);
});

it.each([200, 422])('keeps no photo whose answer came (%i)', async (status) => {
  let answer: () => void = () => undefined;
  server.use(
    http.post('/api/identify', async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return HttpResponse.json(rotorResult, { status });
    }),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  const key = readList(ada.id).lines[0]?.key ?? '';
  await waitFor(async () => expect(await findWaiting(key)).toBeDefined());
  await waitFor(async () => {
    answer();
    expect(await findWaiting(key)).toBeUndefined();
  });
});

it('keeps the photo of a part that was taken out on its way when the server goes away, and put back', async () => {
  let fail: () => void = () => undefined;
  server.use(
    http.post('/api/identify', async () => {
      await new Promise<void>((resolve) => (fail = resolve));
      return HttpResponse.error();
    }),
    http.get('/api/model', () => HttpResponse.error()),
  );
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  const key = readList(ada.id).lines[0]?.key ?? '';
  await waitFor(async () => expect(await findWaiting(key)).toMatchObject({ isTakenOut: true }));
  server.use(http.post('/api/identify', () => HttpResponse.error()));
  fail();
  await waitFor(async () => expect(await listWaiting(ada.id)).toHaveLength(1));
  await person.click(screen.getByRole('button', { name: 'Put back' }));
  expect(lines()).toEqual(['Sent once the server is back']);
  expect(await listWaiting(ada.id)).toHaveLength(1);
});

it('deletes the scan of a part that was taken out on its way when its answer comes after the bench was left', async () => {
  const deleted = noteDeleted();
  const { unmount, answers } = await takeOutOnItsWay();
  unmount();
  answers.forEach((answer) => answer());
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
});

it('deletes the scan of a part that was taken out while its kept photo was sent', async () => {
  server.use(
    http.post('/api/identify', () => HttpResponse.error()),
    http.get('/api/model', () => HttpResponse.error()),
  );
  const deleted = noteDeleted();
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'Lay' }));
  await waitFor(() => expect(lines()).toEqual(['Sent once the server is back']));
  const answers = holdAnswers();
  window.dispatchEvent(new Event('online'));
  await waitFor(() => expect(answers).toHaveLength(1));
  await person.click(screen.getByRole('button', { name: 'Take out' }));
  await person.click(screen.getByRole('button', { name: 'New list' }));
  expect(lines()).toEqual([]);
  answers.forEach((answer) => answer());
  await waitFor(() => expect(deleted).toEqual([rotorResult.id]));
});

it('deletes at once what was taken out, and nothing else, when a new list is begun', async () => {
  const deleted = noteDeleted();
  let sent = 0;
  server.use(
    http.post('/api/identify', () => {
      sent += 1;
      return HttpResponse.json({ ...rotorResult, id: `scan-${sent}` });
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
  await waitFor(() => expect(deleted).toEqual(['scan-2']));
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
  await waitFor(() => expect(readList(ada.id).lines).toEqual([]));
});
