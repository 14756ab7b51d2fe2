import { screen, waitFor } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { BatchItems } from '@/features/batches/components/batch-items';
import { BatchPanel } from '@/features/batches/components/batch-panel';
import { searchedNumber } from '@/features/batches/model';
import { batch, items, serveItems } from '@/testing/batch';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, server } from '@/testing/server';

it('filters by state, answer and part, the most doubtful first', async () => {
  answer('get', '/api/batches/batch-1', batch);
  const asked = serveItems(items);
  const { person } = renderScreen(<BatchPanel id="batch-1" />);
  await person.selectOptions(await screen.findByLabelText('State'), 'Failed');
  await waitFor(() => expect(asked.mock.lastCall?.[0]).toMatchObject({ state: 'failed' }));
  await person.selectOptions(screen.getByLabelText('Answer'), 'Not sure');
  // Which parts there are is known once the photos are there.
  const part = await screen.findByRole('option', { name: 'Brake Rotor' });
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
