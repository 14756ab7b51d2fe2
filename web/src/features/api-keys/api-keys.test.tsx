import { screen, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ApiKeysCard } from '@/features/api-keys/components/api-keys-card';
import { UsageCard } from '@/features/api-keys/components/usage-card';
import { expiryOf, keyRefusal, usageByDay } from '@/features/api-keys/model';
import { formatMicroDollars } from '@/lib/format';
import { renderScreen } from '@/testing/render';
import { answer, refuse, server } from '@/testing/server';

const desk: Schemas['ApiKey'] = {
  id: 'key-1',
  name: 'Returns desk',
  prefix: 'ps_live_8f14e4',
  scopes: ['scan'],
  createdAt: '2026-01-02T03:04:05Z',
  expiresAt: null,
  lastUsedAt: null,
};

it('makes a key, shows it once, and forgets it', async () => {
  const sent = vi.fn();
  answer('get', '/api/api-keys', []);
  server.use(
    http.post('/api/api-keys', async ({ request }) => {
      sent(await request.json());
      return HttpResponse.json({ ...desk, key: 'ps_live_secret' }, { status: 201 });
    }),
  );
  const { person } = renderScreen(<ApiKeysCard />);
  expect(await screen.findByText('No keys yet.')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  await person.click(screen.getByRole('button', { name: 'Make Key' }));
  expect(await screen.findByText('Name the key, so that you know it later.')).toBeVisible();
  await person.type(screen.getByLabelText(/Name/), 'Returns desk');
  await person.click(screen.getByLabelText(/Read vehicles/));
  await person.selectOptions(screen.getByLabelText('Ends after'), 'No end');
  await person.click(screen.getByRole('button', { name: 'Make Key' }));
  expect(await screen.findByText('ps_live_secret')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    name: 'Returns desk',
    scopes: ['scan', 'garage-read'],
    expiresAt: null,
  });
  await person.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('ps_live_secret')).not.toBeInTheDocument();
});

it('revokes a key only after a question', async () => {
  const revoked = vi.fn();
  answer('get', '/api/api-keys', [desk]);
  server.use(
    http.delete('/api/api-keys/key-1', () => {
      revoked();
      return new HttpResponse(null, { status: 204 });
    }),
  );
  const { person } = renderScreen(<ApiKeysCard />);
  await person.click(await screen.findByRole('button', { name: 'Revoke Returns desk' }));
  expect(revoked).not.toHaveBeenCalled();
  const question = screen.getByRole('alertdialog');
  await person.click(within(question).getByRole('button', { name: 'Revoke Key' }));
  expect(await screen.findByText('Key revoked')).toBeVisible();
});

it('keeps what was typed when a key is refused', async () => {
  const detail = 'You have 20 keys. Please revoke one first.';
  answer('get', '/api/api-keys', [desk]);
  refuse('post', '/api/api-keys', { status: 409, code: 'conflict', detail });
  const { person } = renderScreen(<ApiKeysCard />);
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  await person.type(screen.getByLabelText(/Name/), 'One more{Enter}');
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.getByLabelText(/Name/)).toHaveValue('One more');
});

const rows: Schemas['UsageRow'][] = [
  { day: '2026-11-20', source: 'web', keyName: null, path: 'local', scans: 2, costMicros: 0 },
  { day: '2026-11-21', source: 'web', keyName: null, path: 'llm', scans: 1, costMicros: 2500 },
  { day: '2026-11-21', source: 'k', keyName: 'Desk', path: 'local', scans: 4, costMicros: 0 },
];

it('shows the usage by day, the newest first', async () => {
  answer('get', '/api/usage', {
    from: '2026-10-23',
    to: '2026-11-21',
    scans: 7,
    costMicros: 2500,
    rows,
  });
  renderScreen(<UsageCard />);
  const table = await screen.findByRole('table');
  const [, first, second] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent('Nov 21, 20265$0.0025');
  expect(second).toHaveTextContent('Nov 20, 20262$0.00');
  expect(screen.getByRole('link', { name: 'CSV' })).toHaveAttribute(
    'href',
    '/api/export/usage.csv',
  );
});

it('adds the rows of a day together', () => {
  expect(usageByDay(rows)).toEqual([
    { day: '2026-11-21', scans: 5, costMicros: 2500 },
    { day: '2026-11-20', scans: 2, costMicros: 0 },
  ]);
});

it.each([
  [0, '$0.00'],
  [2500, '$0.0025'],
  [1_250_000, '$1.25'],
])('%d millionths are %s', (micros, text) => {
  expect(formatMicroDollars(micros)).toBe(text);
});

it('knows when a key ends, and what it needs', () => {
  const now = new Date('2026-11-22T00:00:00Z');
  expect(expiryOf('30', now)).toBe('2026-12-22T00:00:00.000Z');
  expect(expiryOf('never', now)).toBeNull();
  expect(keyRefusal(' ', ['scan'])).toMatch(/Name the key/);
  expect(keyRefusal('Desk', [])).toMatch(/at least one/);
  expect(keyRefusal('Desk', ['scan'])).toBeNull();
});
