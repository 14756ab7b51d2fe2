import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { HistoryItems } from '@/features/batches/components/history-items';
import { item, noteFeedback, SAID_AT } from '@/testing/batch';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, note, server } from '@/testing/server';

it('shows the scans of the past in the same grid', async () => {
  server.use(
    http.get('/api/scans', () => HttpResponse.json({ scans: [past], next: null, hiddenByPlan: 3 })),
  );
  const right = noteFeedback(1);
  const { person } = renderScreen(<HistoryItems />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(screen.getByText(/3 are hidden/)).toBeVisible();
  grid.focus();
  await person.keyboard(' r');
  await waitFor(() => expect(right).toHaveBeenCalledWith({ answer: 'right' }));
  expect(await screen.findByRole('button', { name: 'Undo' })).toBeVisible();
  // A grade that was there before is not known here: taking the new one back would delete both.
  answer('get', '/api/grades/scale', { grades: ['A', 'Core'] });
  const graded = note('put', '/api/scans/scan-1/grade', { gradedAt: SAID_AT });
  await person.keyboard(' g');
  await person.click(await screen.findByRole('radio', { name: 'Core' }));
  await person.click(screen.getByRole('button', { name: 'Save Grade' }));
  await waitFor(() => expect(graded).toHaveBeenCalledOnce());
  expect(await screen.findByText('1 photo graded Core.')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

it('finds scans by words and category, and saves all of them', async () => {
  const asked = vi.fn<(query: Record<string, string>) => void>();
  server.use(
    http.get('/api/scans', ({ request }) => {
      asked(Object.fromEntries(new URL(request.url).searchParams));
      return HttpResponse.json({ scans: [past], next: null, hiddenByPlan: 0 });
    }),
  );
  const { person } = renderScreen(<HistoryItems />);
  expect(await screen.findByRole('option', { name: /Brake Rotor/ })).toBeVisible();
  expect(hrefOf('Export All as CSV')).toBe('/api/export/scans.csv');
  const first = asked.mock.calls.length;
  const all = { limit: '100', discarded: 'false', hasFeedback: 'false' };
  expect(asked).toHaveBeenLastCalledWith(all);
  await person.type(screen.getByLabelText('Search scans'), ' honda rotor ');
  await waitFor(() => expect(asked).toHaveBeenLastCalledWith({ ...all, q: 'honda rotor' }));
  // Not at each key.
  expect(asked.mock.calls.length).toBeLessThan(first + 5);
  await person.selectOptions(screen.getByLabelText('Category'), 'Brake System');
  await waitFor(() =>
    expect(asked).toHaveBeenLastCalledWith({ ...all, q: 'honda rotor', category: 'brake' }),
  );
});

/** A scan of the history, as far as the grid shows it. */
const past = {
  ...item(1).scan,
  identification: { partName: 'Brake Rotor', label: 'brake-rotor' },
  scannedAt: '2026-11-20T12:00:00Z',
};
