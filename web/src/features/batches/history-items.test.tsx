import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { HistoryItems } from '@/features/batches/components/history-items';
import { item, noteFeedback, SAID_AT } from '@/testing/batch';
import { renderScreen } from '@/testing/render';
import { answer, note, server } from '@/testing/server';

it('shows the scans of the past in the same grid', async () => {
  const { scan } = item(1);
  const past = {
    ...scan,
    identification: { partName: 'Brake Rotor', label: 'brake-rotor' },
    scannedAt: '2026-11-20T12:00:00Z',
  };
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

function serveHistory(scans: number) {
  const asked = vi.fn<(discarded: string | null) => void>();
  const scan = {
    id: 'scan-1',
    verdict: 'not-sure',
    confidence: 0.6,
    thumbnailUrl: null,
    feedback: null,
    scannedAt: '2026-11-20T12:00:00.000Z',
    identification: { partName: 'Rim', label: 'rim' },
  };
  server.use(
    http.get('/api/scans', ({ request }) => {
      asked(new URL(request.url).searchParams.get('discarded'));
      const page = { scans: Array(scans).fill(scan), next: null, hiddenByPlan: 0 };
      return HttpResponse.json(page);
    }),
  );
  return asked;
}

it('discards past scans by a key, takes it back, and shows the discarded ones', async () => {
  const asked = serveHistory(1);
  const discarded = note('post', '/api/scans/discard', {});
  const { person } = renderScreen(<HistoryItems />);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  expect(asked).toHaveBeenLastCalledWith('false');
  grid.focus();
  await person.keyboard(' d');
  expect(await screen.findByText('1 photo discarded.')).toBeVisible();
  expect(discarded).toHaveBeenLastCalledWith({ scans: ['scan-1'], discarded: true });
  await person.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(discarded).toHaveBeenLastCalledWith({ scans: ['scan-1'], discarded: false }),
  );
  await person.selectOptions(screen.getByLabelText('Show'), 'Discarded');
  await waitFor(() => expect(asked).toHaveBeenLastCalledWith('true'));
  const again = await screen.findByRole('listbox', { name: /Photos/ });
  await person.click(within(again).getByRole('option'));
  await person.click(screen.getByRole('button', { name: /Put Back/ }));
  expect(await screen.findByText('1 photo put back.')).toBeVisible();
});
