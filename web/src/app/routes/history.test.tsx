import { act, screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { beforeEach, expect, it, vi } from 'vitest';
import { HistoryRoute } from '@/app/routes/history';
import { ada, civic, rotorScan } from '@/testing/fixtures';
import { confirm, hrefOf, renderScreen, typeAtOnce } from '@/testing/render';
import { answer, note, server } from '@/testing/server';

const scan = rotorScan();
const asked = vi.fn<(query: URLSearchParams) => void>();

beforeEach(() => {
  answer('get', '/api/auth/user', ada);
  answer('get', '/api/vehicles', [civic]);
  answer('get', '/api/vehicles/default', civic);
  server.use(
    http.get('/api/scans', ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked(query);
      const scans = query.get('q') === 'nothing' ? [] : [scan];
      return HttpResponse.json({ scans, next: null, hiddenByPlan: 3 });
    }),
  );
});

it('searches when the typing pauses, and shows all again', async () => {
  const { person, router } = renderScreen(<HistoryRoute />);
  typeAtOnce(await screen.findByRole('searchbox', { name: 'Search scans' }), 'nothing');
  expect(await screen.findByText('No scan fits')).toBeVisible();
  expect(router.state.location.search).toBe('?q=nothing');
  expect(asked.mock.calls.filter(([query]) => query.has('q'))).toHaveLength(1);
  await person.click(screen.getByRole('button', { name: 'Show all scans' }));
  expect(await screen.findByRole('button', { name: /Brake Rotor.*match/ })).toBeVisible();
  expect(screen.getByRole('searchbox', { name: 'Search scans' })).toHaveValue('');
});

it('filters by vehicle and category, in the address', async () => {
  const { person, router } = renderScreen(<HistoryRoute />);
  await person.selectOptions(await screen.findByLabelText('Category'), 'Brake System');
  await screen.findByRole('option', { name: '2015 Honda Civic' });
  await person.selectOptions(screen.getByLabelText('Vehicle'), '2015 Honda Civic');
  expect(router.state.location.search).toBe('?category=brake&vehicle=vehicle-1');
  await waitFor(() => expect(asked.mock.lastCall?.[0].get('vehicleId')).toBe('vehicle-1'));
  expect(await screen.findByText('1 scan found.')).toHaveAttribute('role', 'status');
});

it('says how many scans Basic does not show', async () => {
  renderScreen(<HistoryRoute />);
  expect(await screen.findByText('3 older scans not shown')).toBeVisible();
  expect(hrefOf('See Plans')).toBe('/pricing');
  expect(hrefOf('Export All as CSV')).toBe('/api/export/scans.csv');
});

it('deletes one scan after a question', async () => {
  const removed = note('delete', '/api/scans/scan-1');
  const { person } = renderScreen(<HistoryRoute />);
  await person.click(await screen.findByRole('button', { name: /^Delete Brake Rotor/ }));
  expect(removed).not.toHaveBeenCalled();
  await person.click(screen.getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('Scan deleted')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Scan History' })).toHaveFocus();
});

it('opens the scan that the address names, and says when it is gone', async () => {
  server.use(
    http.get('/api/scans/scan-1', () =>
      HttpResponse.json(
        { code: 'not-found', detail: 'This scan does not exist. It may have been deleted.' },
        { status: 404 },
      ),
    ),
  );
  const { person } = renderScreen(<HistoryRoute />);
  const row = await screen.findByRole('button', { name: /Brake Rotor.*match/ });
  await person.click(row);
  expect(await screen.findByText(/It may have been deleted/)).toBeVisible();
  expect(row).toHaveAttribute('aria-current', 'true');
  await person.click(screen.getByRole('button', { name: 'Close' }));
  expect(row).toHaveAttribute('aria-current', 'false');
  expect(row).toHaveFocus();
  expect(screen.queryByText(/It may have been deleted/)).not.toBeInTheDocument();
});

it.each(['row', 'heading'])(
  'gives the focus to the %s when an opened scan closes',
  async (heir) => {
    const { person, router } = renderScreen(<HistoryRoute />);
    const row = await screen.findByRole('button', { name: /Brake Rotor.*match/ });
    answer('get', '/api/scans/:id', rotorScan());
    answer('get', '/api/parts/brake-rotor/ai-suppliers', { suppliers: [], sources: [] });
    if (heir === 'row') await person.click(row);
    // One that stands further down than the list has come.
    else await act(() => router.navigate('/history?scan=scan-9'));
    expect(await screen.findByRole('heading', { name: 'Scan Results' })).toHaveFocus();
    await act(() => router.navigate(-1));
    expect(screen.queryByRole('heading', { name: 'Scan Results' })).not.toBeInTheDocument();
    expect(
      heir === 'row' ? row : screen.getByRole('heading', { name: 'Scan History' }),
    ).toHaveFocus();
  },
);

it('says how many scans go when all are cleared, those that the plan hides among them', async () => {
  const { person } = renderScreen(<HistoryRoute />);
  await person.click(await screen.findByRole('button', { name: 'Clear All' }));
  expect(screen.getByRole('alertdialog')).toHaveTextContent(
    'All 4 scans are removed for good. Scans that were used stay used.',
  );
});

it('says to a shop that batches lose answers and grades with their scans', async () => {
  answer('get', '/api/auth/user', { ...ada, planType: 'business' });
  const { person } = renderScreen(<HistoryRoute />);
  await person.click(await screen.findByRole('button', { name: 'Clear All' }));
  expect(screen.getByRole('alertdialog')).toHaveTextContent(
    'Batches lose the answers of these scans, and their grades and feedback are gone.',
  );
  await person.keyboard('{Escape}');
  await person.click(screen.getByRole('button', { name: /^Delete Brake Rotor/ }));
  expect(screen.getByRole('alertdialog')).toHaveTextContent(
    'A batch that has this scan loses its answer, and its grade and feedback are gone.',
  );
});

it('names a scan by what it was corrected to where it can be deleted', async () => {
  const feedback = {
    answer: 'other-part',
    label: 'brake-shoe',
    name: 'Brake Shoe',
    referenceId: null,
    changedAt: '2026-11-20T12:00:00Z',
  };
  const scans = [{ ...scan, feedback }];
  server.use(
    http.get('/api/scans', () => HttpResponse.json({ scans, next: null, hiddenByPlan: 0 })),
  );
  renderScreen(<HistoryRoute />);
  expect(await screen.findByRole('button', { name: /^Delete Brake Shoe/ })).toBeVisible();
});

it('clears no scan beside the vehicle in view, and says whose scans go', async () => {
  const cleared = vi.fn<(query: URLSearchParams) => void>();
  server.use(
    http.delete('/api/scans', ({ request }) => {
      cleared(new URL(request.url).searchParams);
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { person } = renderScreen(<HistoryRoute />);
  await screen.findByRole('option', { name: '2015 Honda Civic' });
  await person.selectOptions(screen.getByLabelText('Vehicle'), '2015 Honda Civic');
  await person.click(await screen.findByRole('button', { name: 'Clear All' }));
  expect(screen.getByRole('alertdialog')).toHaveTextContent(
    'All scans for 2015 Honda Civic, also those not shown here, are removed for good.',
  );
  await confirm(person, 'Clear All');
  await waitFor(() => expect(cleared.mock.lastCall?.[0].get('vehicleId')).toBe('vehicle-1'));
});

it.each(['?q=rotor', '?category=brake', '?vehicle=vehicle-1&q=rotor', '?vehicle=sold'])(
  'offers no clearing of all under %s, which the server cannot clear alone',
  async (search) => {
    const { router } = renderScreen(<HistoryRoute />);
    await act(() => router.navigate(`/history${search}`));
    expect(await screen.findByRole('button', { name: /Brake Rotor.*match/ })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Export All as CSV' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Clear All' })).not.toBeInTheDocument();
  },
);
