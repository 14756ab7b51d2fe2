import { screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it, vi } from 'vitest';
import { BenchRoute } from '@/app/routes/bench';
import { HomeRoute } from '@/app/routes/home';
import { SignOutButton } from '@/app/routes/profile/sign-out-button';
import {
  addWaiting,
  findWaiting,
  listWaiting,
  readOwner,
  writeOwner,
} from '@/features/scanning/offline-queue/store';
import { provideCamera } from '@/testing/camera';
import { civic, waitingScan } from '@/testing/fixtures';
import { answerHome } from '@/testing/home';
import { renderScreen } from '@/testing/render';
import { choose, photo } from '@/testing/scanning';
import { server } from '@/testing/server';

it.each([
  ['is away', () => HttpResponse.error()],
  ['is away behind a proxy', () => HttpResponse.text('502 Bad Gateway', { status: 502 })],
])('keeps a photo for who used this browser last while the server %s', async (_, answer) => {
  await writeOwner({ userId: 'user-1', vehicle: civic });
  server.use(http.all('*', answer));
  const { person } = renderScreen(<HomeRoute />);
  expect(await screen.findByText('No connection to the server')).toBeVisible();
  choose(photo);
  const kept = await screen.findByRole('region', { name: 'Kept for Later' });
  expect(kept).toHaveTextContent('For 2015 Honda Civic');
  expect(kept).toHaveTextContent('The model is not in this browser yet');
  const queue = await screen.findByRole('region', { name: 'Waiting to Be Sent' });
  expect(within(queue).getAllByRole('listitem')).toHaveLength(1);
  expect(await listWaiting('user-1')).toMatchObject([
    { vehicle: { id: civic.id }, photos: [{ type: 'image/png', name: 'rotor.png' }] },
  ]);
  await person.click(within(kept).getByRole('button', { name: 'Close' }));
  expect(screen.getByRole('heading', { name: 'Scan' })).toHaveFocus();
});

/** Loses the server for whoever used this browser last. */
async function goOffline() {
  await writeOwner({ userId: 'user-1', vehicle: civic });
  server.use(http.all('*', () => HttpResponse.error()));
}

it('keeps gathered photos while the server is asked again, and until they are gone once it is back', async () => {
  await goOffline();
  const { person, queryClient } = renderScreen(<HomeRoute />);
  await person.click(await screen.findByLabelText('Several photos of one part'));
  choose(photo);
  expect(await screen.findByText(/^1 of at most 5 photos/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(screen.getByText(/^1 of at most 5 photos/)).toBeVisible();
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  answerHome();
  await queryClient.refetchQueries({ queryKey: ['auth', 'user'] });
  await waitFor(() =>
    expect(screen.queryByText('No connection to the server')).not.toBeInTheDocument(),
  );
  expect(screen.getByText(/^1 of at most 5 photos/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: /^Remove/ }));
  expect(await screen.findByText('No scans yet')).toBeVisible();
});

it('lets a camera run that was started without the server, and gives the focus to the screen that comes', async () => {
  await goOffline();
  const stop = vi.fn();
  const track = { stop, addEventListener: vi.fn() };
  const tracks = () => [track];
  provideCamera(() => Promise.resolve({ active: true, getTracks: tracks, getVideoTracks: tracks }));
  vi.spyOn(HTMLVideoElement.prototype, 'play').mockResolvedValue();
  const { person, queryClient } = renderScreen(<HomeRoute />);
  await person.click(await screen.findByRole('button', { name: 'Start Camera' }));
  expect(await screen.findByText('Video Ready')).toBeVisible();
  answerHome();
  await queryClient.refetchQueries({ queryKey: ['auth', 'user'] });
  expect(await screen.findByText('The server can be reached again')).toBeVisible();
  expect(stop).not.toHaveBeenCalled();
  await person.click(screen.getByRole('button', { name: 'Stop' }));
  expect(await screen.findByText('No scans yet')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Scan' })).toHaveFocus();
});

it('keeps the bench on screen while the server is asked again', async () => {
  await goOffline();
  const { queryClient } = renderScreen(<BenchRoute />);
  const heading = await screen.findByRole('heading', { name: 'Bench' });
  await queryClient.refetchQueries({ queryKey: ['auth', 'user'] });
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  // The very same one: it was not drawn anew.
  expect(heading).toBeInTheDocument();
});

/** Asks for the sign-out of somebody with a photo that was not sent. */
async function signOut() {
  await writeOwner({ userId: 'user-1', vehicle: civic });
  await addWaiting(waitingScan);
  const { person } = renderScreen(<SignOutButton userId="user-1" />);
  await person.click(screen.getByRole('button', { name: 'Sign Out' }));
  return person;
}

it('asks what becomes of photos that were not sent before it signs out', async () => {
  const person = await signOut();
  expect(await screen.findByRole('dialog', { name: '1 photo not sent yet' })).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Close' }));
  expect(await readOwner()).not.toBeNull();
  await person.click(screen.getByRole('button', { name: 'Sign Out' }));
  await person.click(await screen.findByRole('button', { name: 'Keep and Sign Out' }));
  expect(await screen.findByRole('button', { name: 'Signing out...' })).toBeDisabled();
  await waitFor(async () => expect(await readOwner()).toBeNull());
  expect(await listWaiting('user-1')).toHaveLength(1);
});

it('asks also about a photo of the bench that is on its way', async () => {
  await addWaiting({ ...waitingScan, isListed: true, isTakenOut: true });
  const { person } = renderScreen(<SignOutButton userId="user-1" />);
  await person.click(screen.getByRole('button', { name: 'Sign Out' }));
  expect(await screen.findByRole('dialog', { name: '1 photo not sent yet' })).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Delete and Sign Out' }));
  await waitFor(async () => expect(await findWaiting(waitingScan.id)).toBeUndefined());
});

it('deletes them on request', async () => {
  const person = await signOut();
  await person.click(await screen.findByRole('button', { name: 'Delete and Sign Out' }));
  expect(await screen.findByRole('button', { name: 'Signing out...' })).toBeDisabled();
  // The owner goes after them.
  await waitFor(async () => expect(await readOwner()).toBeNull());
  expect(await listWaiting('user-1')).toEqual([]);
});

it('signs nobody out without the server, and deletes nothing before', async () => {
  server.use(http.get('/health', () => HttpResponse.error()));
  const person = await signOut();
  await person.click(await screen.findByRole('button', { name: 'Delete and Sign Out' }));
  expect(await screen.findByText('You are still signed in')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Sign Out' })).toBeEnabled();
  expect(await listWaiting('user-1')).toHaveLength(1);
  expect(await readOwner()).not.toBeNull();
});
