import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { BenchRoute } from '@/app/routes/bench';
import type { Shot } from '@/features/bench/camera/frames';
import { readList } from '@/features/bench/list/store';
import { listWaiting } from '@/features/scanning/offline-queue/store';
import { ada, civic, rotorResult } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { server } from '@/testing/server';

// The camera, in whose place the test lays parts down.
let lay: (shot: Shot) => void = () => undefined;
vi.mock('@/features/bench/camera/use-watching', () => ({
  useWatching: ({ onShot }: { onShot: typeof lay }) => {
    lay = onShot;
    return { phase: 'empty', scanNow: vi.fn(), learn: vi.fn() };
  },
}));

const photo = { blob: new Blob(['pixels'], { type: 'image/jpeg' }), name: 'bench.jpg' };

it('asks for a sign-in when the session ends, and sends what was laid down after it', async () => {
  let isSignedIn = true;
  let sent = 0;
  const guarded = (body: object) => () => {
    if (isSignedIn) return HttpResponse.json(body);
    return HttpResponse.json({ title: 'Unauthorized', status: 401 }, { status: 401 });
  };
  server.use(
    http.get('/api/auth/user', guarded(ada)),
    http.get('/api/vehicles/default', guarded(civic)),
    http.get('/api/vehicles', guarded([civic])),
    http.get('/api/scans/:id/reading', () => HttpResponse.error()),
    http.get('/api/model', () => HttpResponse.error()),
    http.post('/api/identify', () => {
      sent += 1;
      return guarded(rotorResult)();
    }),
  );
  const { queryClient } = renderScreen(<BenchRoute />);
  await screen.findByText('Running List');
  isSignedIn = false;
  act(() => lay({ photo: Promise.resolve(photo), thumb: 'data:,' }));
  expect(await screen.findByText('Sign In Required')).toBeVisible();
  expect(hrefOf('Go to Sign In')).toBe('/profile');
  await waitFor(async () => expect(await listWaiting(ada.id)).toHaveLength(1));
  await waitFor(() =>
    expect(readList(ada.id).lines).toMatchObject([{ answer: { state: 'waiting' } }]),
  );
  expect(sent).toBeLessThanOrEqual(2);

  isSignedIn = true;
  await queryClient.invalidateQueries();
  expect(await screen.findAllByText(/% match/)).not.toEqual([]);
  expect(await listWaiting(ada.id)).toEqual([]);
});
