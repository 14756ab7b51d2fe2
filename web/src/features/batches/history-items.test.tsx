import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
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
