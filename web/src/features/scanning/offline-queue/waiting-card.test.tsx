import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it } from 'vitest';
import { addWaiting, listWaiting } from '@/features/scanning/offline-queue/store';
import type { WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';
import { WaitingCard } from '@/features/scanning/offline-queue/components/waiting-card';
import { ada, civic, rotorResult, waitingScan } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, note, noteForm, refuse, server } from '@/testing/server';

const card = () => screen.findByRole('region', { name: 'Waiting to Be Sent' });

/** Keeps scans, and shows what waits. */
async function open(...scans: WaitingScan[]) {
  for (const scan of scans) await addWaiting(scan);
  const { person } = renderScreen(<WaitingCard userId="user-1" defaultVehicle={civic} />);
  await card();
  return { person, send: () => person.click(screen.getByRole('button', { name: 'Send Now' })) };
}

it('shows what waits with the guess of this browser, and sends it', async () => {
  answer('post', '/api/identify', rotorResult);
  const { send } = await open(waitingScan);
  const row = within(await card()).getByRole('listitem');
  expect(row).toHaveTextContent('Brake Rotor');
  expect(row).toHaveTextContent('This browser’s guess');
  expect(row).toHaveTextContent('2015 Honda Civic');
  await send();
  expect(await screen.findByText('A kept photo was answered')).toBeVisible();
  await waitFor(() => {
    expect(screen.queryByRole('region', { name: 'Waiting to Be Sent' })).not.toBeInTheDocument();
  });
});

it('sends all photos of a part together, each time under the same key', async () => {
  const [photo] = waitingScan.photos;
  if (photo === undefined) throw new Error('the fixture has one');
  const sent: { texts: string[]; key: string | null }[] = [];
  server.use(
    http.post('/api/identify', async ({ request }) => {
      const images = (await request.formData()).getAll('image') as File[];
      const key = request.headers.get('Idempotency-Key');
      sent.push({ texts: await Promise.all(images.map((image) => image.text())), key });
      return sent.length === 1
        ? HttpResponse.error()
        : HttpResponse.json({ ...rotorResult, photoCount: 2 });
    }),
  );
  const { send } = await open({
    ...waitingScan,
    photos: [photo, { ...photo, bytes: new TextEncoder().encode('more').buffer }],
  });
  expect(await card()).toHaveTextContent('2 photos');
  await send();
  await screen.findByText(/The server cannot be reached/);
  await send();
  expect(await screen.findByText('Kept photos were answered')).toBeVisible();
  const both = { texts: ['pixels', 'more'], key: waitingScan.id };
  expect(sent).toEqual([both, both]);
});

it('says that the scans of the month are used up, and sends all once there are more', async () => {
  server.use(http.post('/api/identify', () => HttpResponse.json({ title: 'No' }, { status: 429 })));
  const { send } = await open(waitingScan, { ...waitingScan, id: 'second' });
  await send();
  expect(await screen.findByText(/^Your scans of this month are used up\./)).toBeVisible();
  expect(screen.queryByText('Refused')).not.toBeInTheDocument();
  answer('post', '/api/identify', rotorResult);
  await send();
  await waitFor(async () => expect(await listWaiting('user-1')).toEqual([]));
});

it('says why a photo was refused, and retries it for the default vehicle where its own is gone', async () => {
  const refusal = { message: 'Its vehicle has been deleted.', vehicleGone: true };
  const sent = noteForm('/api/identify', rotorResult);
  const { person } = await open({
    ...waitingScan,
    vehicle: { ...waitingScan.vehicle, id: 'gone' },
    refusal,
  });
  expect(await card()).toHaveTextContent('Its vehicle has been deleted.');
  expect(screen.getByRole('button', { name: 'Send Now' })).toBeDisabled();
  await person.click(screen.getByRole('button', { name: /^Retry the photo of/ }));
  expect(await screen.findByText('A kept photo was answered')).toBeVisible();
  expect(sent.mock.calls[0]?.[0].get('vehicleId')).toBe(civic.id);
});

it('sends nothing while another tab has somebody else signed in', async () => {
  answer('get', '/api/auth/user', { ...ada, id: 'user-2' });
  const sent = note('post', '/api/identify');
  const { send } = await open(waitingScan);
  await send();
  expect(await screen.findByText(/^You are signed out\./)).toBeVisible();
  expect(sent).not.toHaveBeenCalled();
  expect(await listWaiting('user-1')).toMatchObject([{ refusal: null }]);
});

it('says that a photo was dropped whose scan was answered before and deleted', async () => {
  const detail = 'This scan does not exist. It may have been deleted.';
  refuse('post', '/api/identify', { status: 404, detail });
  const { send } = await open(waitingScan);
  await send();
  expect(await screen.findByText('A kept photo was dropped')).toBeVisible();
  expect(await listWaiting('user-1')).toEqual([]);
});

it('deletes a photo after a question', async () => {
  const { person } = await open(waitingScan);
  await person.click(screen.getByRole('button', { name: /^Delete the photo of/ }));
  await person.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(async () => {
    expect(await listWaiting('user-1')).toEqual([]);
  });
});
