import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it } from 'vitest';
import { outbox } from '@/features/scanning/offline-queue/outbox';
import {
  addWaiting,
  listWaiting,
  removeWaiting,
  updateWaiting,
} from '@/features/scanning/offline-queue/store';
import { benchLine, openBench } from '@/testing/bench';
import { ada, civic, rotorResult, waitingScan } from '@/testing/fixtures';
import { readAnew } from '@/testing/render';
import { refuse, server } from '@/testing/server';

/** A part whose photo was refused while it waited, and is kept. */

const message = 'Its vehicle has been deleted. Retry sends it for your default vehicle.';
const refused = benchLine(1, { answer: { state: 'refused', message, isKept: true } });
const row = () => within(screen.getByRole('list', { name: /^Parts/ })).getByRole('listitem');

/** The vehicles that photos were sent for. */
let vehicles: string[] = [];

beforeEach(async () => {
  vehicles = [];
  outbox.answers.clear();
  outbox.deleted.clear();
  server.use(
    http.post('/api/identify', async ({ request }) => {
      vehicles.push(/name="vehicleId"\r\n\r\n(.*)\r\n/.exec(await request.text())?.[1] ?? '');
      return HttpResponse.json(rotorResult);
    }),
    http.get('/api/scans/:id/reading', () => HttpResponse.error()),
  );
  await addWaiting({
    ...waitingScan,
    id: refused.key,
    isListed: true,
    vehicle: { ...waitingScan.vehicle, id: 'sold' },
    refusal: { message, vehicleGone: true },
  });
});

it.each(['list', 'board'])(
  'sends it again from the %s, for the vehicle of the bench',
  async (place) => {
    const { person } = openBench([refused]);
    const board = screen.getByRole('region', { name: 'Answer' });
    const area = place === 'list' ? row() : board;
    expect(area).toHaveTextContent(message);
    await person.click(within(area).getByRole('button', { name: 'Retry part 1' }));
    await waitFor(() => expect(area).toHaveTextContent(/% match/));
    expect(area).toHaveFocus();
    expect(vehicles).toEqual([civic.id]);
    expect(await listWaiting(ada.id)).toEqual([]);
    expect(screen.queryByRole('button', { name: /^Retry/ })).not.toBeInTheDocument();
  },
);

it('has the answer where it was retried on another screen', async () => {
  const { queryClient } = openBench([refused]);
  await updateWaiting(refused.key, { refusal: null });
  await readAnew(queryClient);
  await waitFor(() => expect(row()).toHaveTextContent(/% match/));
});

it('says so where it was answered before, and its scan has been deleted since', async () => {
  const detail = 'This scan does not exist. It may have been deleted.';
  refuse('post', '/api/identify', { status: 404, detail });
  const { person } = openBench([refused]);
  await person.click(within(row()).getByRole('button', { name: 'Retry part 1' }));
  await waitFor(() =>
    expect(row()).toHaveTextContent('It was answered before, and its scan has been deleted since.'),
  );
  expect(screen.queryByText('A kept photo was dropped')).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /^Retry/ })).not.toBeInTheDocument();
  expect(await listWaiting(ada.id)).toEqual([]);
});

it('says that the scans of the month are used up, until there are more', async () => {
  refuse('post', '/api/identify', { status: 429, detail: 'Monthly scan limit exceeded.' });
  const { person } = openBench([refused]);
  await person.click(within(row()).getByRole('button', { name: 'Retry part 1' }));
  await waitFor(() => expect(row()).toHaveTextContent('Your scans of this month are used up'));
  server.use(http.post('/api/identify', () => HttpResponse.error()));
  window.dispatchEvent(new Event('online'));
  await waitFor(() => expect(row()).toHaveTextContent('To be sent again'));
  // The next test has a server of its own, which must not be sent this photo.
  await waitFor(() => expect(outbox.snapshot().waitingFor).toBe('unreachable'));
});

it('says where to look where another tab sent or deleted it', async () => {
  await removeWaiting(refused.key);
  openBench([refused]);
  await waitFor(() => expect(row()).toHaveTextContent('What was answered is in the scan history'));
});

it('can retry what an earlier version listed as refused, but nothing that is kept nowhere', async () => {
  const [first, second] = [1, 2].map((number) =>
    benchLine(number, { answer: { state: 'refused', message } }),
  );
  if (first === undefined || second === undefined) throw new Error('no lines');
  openBench([first, second]);
  await screen.findByRole('button', { name: 'Retry part 1' });
  expect(screen.queryByRole('button', { name: 'Retry part 2' })).not.toBeInTheDocument();
});
