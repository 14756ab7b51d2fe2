import { act, screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, onTestFinished, vi } from 'vitest';
import { BatchItems } from '@/features/batches/components/batch-items';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { searchedNumber } from '@/features/batches/model';
import { batch, item, items, noteFeedback, openBatch, serveItems } from '@/testing/batch';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

it('filters by state, answer and part, the most doubtful first', async () => {
  answer('get', '/api/batches/batch-1', batch);
  serveTypes([rotor]);
  const asked = serveItems(items);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.selectOptions(await screen.findByLabelText('State'), 'Failed');
  await waitFor(() => expect(asked.mock.lastCall?.[0]).toMatchObject({ state: 'failed' }));
  await person.selectOptions(screen.getByLabelText('Answer'), 'Not sure');
  const part = await screen.findByRole('option', { name: 'Brake Rotor (1,200)' });
  await person.selectOptions(screen.getByLabelText('Part'), part);
  await waitFor(() =>
    expect(asked.mock.lastCall?.[0]).toMatchObject({
      sort: 'doubt',
      state: 'failed',
      verdict: 'not-sure',
      type: 'brake-rotor',
    }),
  );
  expect(hrefOf('Results as CSV')).toBe('/api/batches/batch-1/results?format=csv');
});

it('offers the types of all photos, also of those that are not loaded, and keeps the chosen one', async () => {
  const rim = { label: 'rim', name: 'Rim', count: 1 };
  serveTypes([rotor, rim]);
  const { person } = await openBatch([item(1)]);
  const part = screen.getByLabelText('Part');
  const offered = () =>
    within(part)
      .getAllByRole('option')
      .map((option) => option.textContent);
  await waitFor(() => expect(offered()).toEqual(['All', 'Brake Rotor (1,200)', 'Rim (1)']));
  await person.selectOptions(part, 'Rim (1)');
  noteFeedback(1);
  serveTypes([rotor]);
  const grid = await screen.findByRole('listbox', { name: /Photos/ });
  grid.focus();
  await person.keyboard(' r');
  await waitFor(() => expect(offered()).toEqual(['All', 'Brake Rotor (1,200)', 'Rim (0)']));
  expect(part).toHaveValue('rim');
  await person.selectOptions(part, 'All');
  expect(offered()).toEqual(['All', 'Brake Rotor (1,200)']);
});

it('reads the types again as the answers come, and once after the last', async () => {
  vi.useFakeTimers({
    shouldAdvanceTime: true,
    toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'],
  });
  onTestFinished(() => void vi.useRealTimers());
  answer('get', '/api/batches/batch-1', { ...batch, state: 'running' });
  serveItems(items);
  renderScreen(<BatchPanel id="batch-1" />);
  expect(await screen.findByRole('listbox')).toBeVisible();
  serveTypes([rotor]);
  await act(() => vi.advanceTimersByTimeAsync(4100));
  expect(await screen.findByRole('option', { name: 'Brake Rotor (1,200)' })).toBeVisible();
  serveTypes([{ ...rotor, count: 1201 }]);
  answer('get', '/api/batches/batch-1', batch);
  await act(() => vi.advanceTimersByTimeAsync(1600));
  expect(await screen.findByRole('option', { name: 'Brake Rotor (1,201)' })).toBeVisible();
});

it('searches for a part number once there is enough of it', async () => {
  const asked = vi.fn<(number: string | null) => void>();
  server.use(
    http.get('/api/batches/batch-1/items', ({ request }) => {
      asked(new URL(request.url).searchParams.get('number'));
      return HttpResponse.json({ items: [], next: null });
    }),
  );
  const { person } = renderScreen(<BatchItems batch={batch} />);
  await person.type(await screen.findByLabelText('Number'), '06');
  await person.type(screen.getByLabelText('Number'), 'A 105');
  await waitFor(() => expect(asked).toHaveBeenCalledWith('06A 105'));
  expect(asked).not.toHaveBeenCalledWith('06');
  expect([' 06 ', '-- 0', 'é7b', ' 06a-'].map(searchedNumber)).toEqual(['', '', 'é7b', '06a-']);
});

type BatchType = { label: string; name: string; count: number };

function serveTypes(types: BatchType[]) {
  server.use(http.get('/api/batches/batch-1/types', () => HttpResponse.json({ types })));
}

/** A type that more photos show than are loaded. */
const rotor = { label: 'brake-rotor', name: 'Brake Rotor', count: 1200 };
