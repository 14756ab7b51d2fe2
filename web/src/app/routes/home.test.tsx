import { act, screen, waitFor, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { StrictMode, useEffect } from 'react';
import { Route, Routes, useLocation, type Location } from 'react-router';
import { expect, it, vi } from 'vitest';
import { HomeRoute } from '@/app/routes/home';
import { LEFT } from '@/features/scanning/capture/use-scan-flow';
import { viewOfResult } from '@/features/scanning/result/scan-view';
import { STEP } from '@/hooks/use-stale-step';
import { rotorResult } from '@/testing/fixtures';
import { answerHome } from '@/testing/home';
import { hrefOf, renderScreen } from '@/testing/render';
import { choose, photo } from '@/testing/scanning';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';

type Router = ReturnType<typeof renderScreen>['router'];

it('asks a visitor to sign in', async () => {
  refuse('get', '/api/auth/user', SIGNED_OUT);
  renderScreen(<HomeRoute />);
  expect(await screen.findByText('Please sign in to access the car parts scanner')).toBeVisible();
  expect(hrefOf('Sign In to Continue')).toBe('/api/login');
});

it('says what is wrong when the first read fails', async () => {
  server.use(http.get('/api/auth/user', () => HttpResponse.error()));
  renderScreen(<HomeRoute />);
  expect(await screen.findByText('Your account could not be loaded')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try Again' })).toBeVisible();
});

it('keeps the scanner when a later read fails', async () => {
  answerHome();
  const { queryClient } = renderScreen(<HomeRoute />);
  expect(await screen.findByText('No scans yet')).toBeVisible();
  server.use(http.get('/api/*', () => HttpResponse.error()));
  await queryClient.invalidateQueries();
  expect(queryClient.getQueryState(['auth', 'user'])?.status).toBe('error');
  expect(screen.getByRole('region', { name: 'Scan a part' })).toBeVisible();
  expect(screen.queryByText(/could not be loaded/)).not.toBeInTheDocument();
});

it('asks for a vehicle while there is none', async () => {
  answerHome();
  answer('get', '/api/vehicles/default', null);
  renderScreen(<HomeRoute />);
  expect(await screen.findByRole('link', { name: 'Add Vehicle' })).toHaveAttribute(
    'href',
    '/vehicle',
  );
  expect(screen.getByRole('button', { name: 'Vehicle Required' })).toBeDisabled();
});

it('reads the limits anew before it refuses a scan', async () => {
  answerHome();
  const usedUp = { limit: 2, used: 2, remaining: 0 };
  answer('get', '/api/scans/limits', usedUp);
  answer('post', '/api/identify', rotorResult);
  const { person, queryClient } = renderScreen(<HomeRoute />);
  await waitFor(() => expect(queryClient.getQueryData(['subscription', 'limits'])).toEqual(usedUp));
  await screen.findByLabelText('Photo of the part');
  choose(photo);
  expect(await screen.findByRole('dialog', { name: 'Analysis Failed' })).toHaveTextContent(
    'Monthly scan limit exceeded.',
  );
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  // Somebody chose another plan in another tab.
  answer('get', '/api/scans/limits', { limit: 999, used: 2, remaining: 997 });
  await person.click(screen.getByRole('button', { name: 'Scan This Photo Again' }));
  expect(await screen.findByRole('meter', { name: 'How sure' })).toBeVisible();
});

/** Hears of each place once its screen is drawn, which is later than the router is there. */
const drawn = vi.fn<(at: Location) => void>();

/** Home at its address, and nothing at all others. */
function Screens() {
  const location = useLocation();
  useEffect(() => drawn(location), [location]);
  return (
    <StrictMode>
      <Routes>
        <Route path="/" element={<HomeRoute />} />
        <Route path="*" element={null} />
      </Routes>
    </StrictMode>
  );
}

/** Opens Home after another screen and adds a photo, whose answer is kept for later. */
async function addPhoto(beforeAnswer: (router: Router) => void = () => undefined) {
  answerHome();
  refuse('get', '/api/model', { status: 404, detail: 'No model.' });
  server.use(http.post('/api/identify', () => HttpResponse.error()));
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const screenOfHome = renderScreen(<Screens />);
  await act(() => screenOfHome.router.navigate('/before'));
  await act(() => screenOfHome.router.navigate('/'));
  beforeAnswer(screenOfHome.router);
  await screen.findByLabelText('Photo of the part');
  choose(photo);
  return screenOfHome;
}

async function openAnswer() {
  const screenOfHome = await addPhoto();
  const kept = await screen.findByRole('region', { name: 'Kept for Later' });
  await waitFor(() => {
    const { location } = screenOfHome.router.state;
    expect(location.state).not.toBeNull();
    expect(drawn).toHaveBeenLastCalledWith(location);
  });
  return { ...screenOfHome, kept };
}

/** That the answer is gone, Home is not left by it, and the next step back leaves Home. */
async function expectClosed({ router, kept }: Awaited<ReturnType<typeof openAnswer>>) {
  await waitFor(() => expect(kept).not.toBeInTheDocument());
  expect(screen.getByRole('heading', { name: 'Scan History' })).toHaveFocus();
  expect(router.state.location.pathname).toBe('/');
  await act(() => router.navigate(-1));
  expect(router.state.location.pathname).toBe('/before');
}

it('closes an answer by its button, which leaves the focus at the history', async () => {
  const home = await openAnswer();
  const close = within(home.kept).getByRole('button', { name: 'Close' });
  // Pressed twice, it does not leave the screen.
  await home.person.dblClick(close);
  await expectClosed(home);
});

it('closes an answer by the way back', async () => {
  const home = await openAnswer();
  await act(() => home.router.navigate(-1));
  await expectClosed(home);
});

it.each([
  ['the way back', (home: Awaited<ReturnType<typeof openAnswer>>) => home.router.navigate(-1)],
  [
    'its button',
    ({ kept, person }: Awaited<ReturnType<typeof openAnswer>>) =>
      person.click(within(kept).getByRole('button', { name: 'Close' })),
  ],
])('shows an answer again by the way forward, closed by %s', async (_, close) => {
  const home = await openAnswer();
  await act(() => close(home));
  await waitFor(() => expect(home.kept).not.toBeInTheDocument());
  await act(() => home.router.navigate(1));
  const kept = await screen.findByRole('region', { name: 'Kept for Later' });
  expect(within(kept).getByRole('img', { name: 'Your photo' })).toBeVisible();
  await act(() => home.router.navigate(-1));
  await expectClosed({ ...home, kept });
});

it('goes on to no step of an answer that is gone', async () => {
  const { router, queryClient } = await openAnswer();
  await act(() => router.navigate('/other'));
  // As a reload does.
  queryClient.removeQueries({ queryKey: LEFT });
  // The way back leads to the step first, which is an ordinary one from then on, and from there by itself to Home.
  const steps: unknown[] = [];
  const stop = router.subscribe(({ location }) => steps.push(location.state));
  await act(() => router.navigate(-1));
  await waitFor(() => expect(steps).toEqual([STEP, null, null]));
  stop();
  // The way forward leads through it to the other screen, and the way back past it.
  for (const [way, pathname] of [
    [1, '/'],
    [1, '/other'],
    [-1, '/'],
    [-1, '/'],
    [-1, '/before'],
  ] as const) {
    await act(() => router.navigate(way));
    await waitFor(() => expect(router.state.location.pathname).toBe(pathname));
  }
  expect(router.state.location.pathname).toBe('/before');
});

it('closes an answer by a way back taken before its step is drawn', async () => {
  const { router } = await addPhoto((own) => {
    const stop = own.subscribe(({ location }) => {
      if (location.state === null) return;
      stop();
      void own.navigate(-1);
    });
  });
  await waitFor(() => expect(router.state.historyAction).toBe('POP'));
  await waitFor(() =>
    expect(screen.queryByRole('region', { name: 'Kept for Later' })).not.toBeInTheDocument(),
  );
});

it('keeps an answer open under a link to Home itself, and closes it by the way back then', async () => {
  const home = await openAnswer();
  await act(() => home.router.navigate('/', { replace: true }));
  expect(home.kept).toBeVisible();
  await act(() => home.router.navigate(-1));
  await expectClosed(home);
});

it('shows an open answer again by the way back from another screen', async () => {
  const home = await openAnswer();
  await act(() => home.router.navigate('/other'));
  await act(() => home.router.navigate(-1));
  const kept = await screen.findByRole('region', { name: 'Kept for Later' });
  expect(within(kept).getByRole('img', { name: 'Your photo' })).toBeVisible();
  await act(() => home.router.navigate(-1));
  await expectClosed({ ...home, kept });
});

it('leads back from the repair to the result, with what was said of it', async () => {
  answerHome();
  answer('post', '/api/identify', rotorResult);
  const { person, router } = renderScreen(<Screens />);
  await screen.findByLabelText('Photo of the part');
  choose(photo);
  const link = await screen.findByRole('link', { name: 'Log as Repair' });
  await waitFor(() => expect(router.state.location.state).toEqual(STEP));
  await person.click(link);
  expect(router.state.location.pathname).toBe('/vehicle');
  answer('get', `/api/scans/${rotorResult.id}`, {
    ...viewOfResult(rotorResult),
    feedback: {
      answer: 'right',
      label: 'brake-rotor',
      name: 'Brake Rotor',
      referenceId: null,
      changedAt: '2026-11-21T10:00:00Z',
    },
  });
  await act(() => router.navigate(-1));
  const result = await screen.findByRole('region', { name: 'Scan Results' });
  expect(router.state.location).toMatchObject({ pathname: '/', state: STEP });
  await waitFor(() =>
    expect(within(result).getByRole('button', { name: 'Right' })).toHaveAttribute(
      'aria-pressed',
      'true',
    ),
  );
});

it.each([
  ['before the camera where the window is narrow', false],
  ['after the camera where it is beside it', true],
])('has the answer %s', async (_, isWide) => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (media) => Object.assign(new EventTarget(), { media, matches: isWide }) as MediaQueryList,
  );
  const { kept } = await openAnswer();
  const camera = screen.getByRole('region', { name: 'Scan a part' });
  const [first, second] = isWide ? [camera, kept] : [kept, camera];
  expect(first.compareDocumentPosition(second)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});
