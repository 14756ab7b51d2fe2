import 'fake-indexeddb/auto';
import { fireEvent, screen, within } from '@testing-library/react';
import { HttpResponse, http } from 'msw';
import { expect, it, vi } from 'vitest';
import { HomeRoute } from '@/app/routes/home';
import { ada, civic } from '@/testing/fixtures';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';

function answerHome() {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles/default', civic);
  answer('get', '/api/scans/recent', []);
  answer('get', '/api/scans/limits', { limit: 2, used: 0, remaining: 2 });
  refuse('get', '/api/vehicles/ai/oil-specs/Honda/Civic/2015', { status: 500, detail: '' });
  refuse('get', '/api/subscription/status', { status: 503, detail: 'Busy.' });
}

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

it('leaves the focus at the history when the answer to a kept photo is closed', async () => {
  answerHome();
  refuse('get', '/api/model', { status: 404, detail: 'No model.' });
  server.use(http.post('/api/identify', () => HttpResponse.error()));
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  const { person } = renderScreen(<HomeRoute />);
  const files = [new File(['pixels'], 'rotor.png', { type: 'image/png' })];
  fireEvent.change(await screen.findByLabelText('Photo of the part'), { target: { files } });
  const kept = await screen.findByRole('region', { name: 'Kept for Later' });
  await person.click(within(kept).getByRole('button', { name: 'Close' }));
  expect(screen.getByRole('heading', { name: 'Scan History' })).toHaveFocus();
});
