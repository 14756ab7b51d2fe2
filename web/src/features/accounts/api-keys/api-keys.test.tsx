import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { ApiKeysCard } from '@/features/accounts/api-keys/components/api-keys-card';
import { UsageCard } from '@/features/accounts/api-keys/components/usage-card';
import {
  costBars,
  EMPTY_KEY,
  expiryOf,
  keySchema,
  scanBars,
} from '@/features/accounts/api-keys/model';
import { formatMicroDollars } from '@/lib/format';
import { checkForm } from '@/lib/form-schema';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, note, refuse, SIGNED_OUT } from '@/testing/server';

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
  answer('get', '/api/api-keys', []);
  const sent = note('post', '/api/api-keys', { ...desk, key: 'ps_live_secret' }, 201);
  const { person } = renderScreen(<ApiKeysCard inPlan />);
  expect(await screen.findByText(/^No keys yet\. Create one/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  expect(await screen.findByText('Name the key, so that you know it later.')).toBeVisible();
  await person.type(screen.getByLabelText(/Name/), 'Returns desk');
  await person.click(screen.getByLabelText(/Read vehicles/));
  await person.selectOptions(screen.getByLabelText('Ends after'), 'No end');
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  expect(await screen.findByText('ps_live_secret')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    name: 'Returns desk',
    scopes: ['scan', 'garage-read'],
    expiresAt: null,
  });
  await person.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('ps_live_secret')).not.toBeInTheDocument();
});

it('says beside each field why a key is not made', async () => {
  answer('get', '/api/api-keys', []);
  const { person } = renderScreen(<ApiKeysCard inPlan />);
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  await person.click(screen.getByLabelText(/Identify photographs/));
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  expect(screen.getByLabelText(/Name/)).toHaveFocus();
  expect(screen.getByLabelText(/Name/)).toHaveAccessibleDescription(/^Name the key|know it later/);
  expect(screen.getByRole('alert')).toHaveTextContent('Choose at least one thing');
  await person.click(screen.getByLabelText(/Identify photographs/));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  const detail = 'The name has 200 characters; please use at most 80.';
  refuse('post', '/api/api-keys', { status: 422, code: 'invalid', field: 'name', detail });
  await person.type(screen.getByLabelText(/Name/), 'Long{Enter}');
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.getByLabelText(/Name/)).toBeInvalid();
});

it('revokes a key only after a question', async () => {
  answer('get', '/api/api-keys', [desk]);
  const revoked = note('delete', '/api/api-keys/key-1');
  const { person } = renderScreen(<ApiKeysCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Revoke Returns desk' }));
  expect(revoked).not.toHaveBeenCalled();
  const question = screen.getByRole('alertdialog');
  await person.click(within(question).getByRole('button', { name: 'Revoke Key' }));
  expect(await screen.findByText('Key revoked')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Your Keys' })).toHaveFocus();
});

it('keeps what was typed when a key is refused', async () => {
  const detail = 'You have 20 keys. Please revoke one first.';
  answer('get', '/api/api-keys', [desk]);
  refuse('post', '/api/api-keys', { status: 409, detail });
  const { person } = renderScreen(<ApiKeysCard inPlan />);
  await person.click(screen.getByRole('button', { name: 'Create Key' }));
  await person.type(screen.getByLabelText(/Name/), 'One more{Enter}');
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.getByLabelText(/Name/)).toHaveValue('One more');
});

it('keeps what was typed over a session that ended, and opens it again', async () => {
  answer('get', '/api/api-keys', [desk]);
  refuse('post', '/api/api-keys', SIGNED_OUT);
  const before = renderScreen(<ApiKeysCard inPlan />);
  await before.person.click(screen.getByRole('button', { name: 'Create Key' }));
  await before.person.type(screen.getByLabelText(/Name/), 'Returns');
  await before.person.click(screen.getByLabelText(/Read vehicles/));
  await before.person.click(screen.getByRole('button', { name: 'Create Key' }));
  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible();
  before.unmount();
  renderScreen(<ApiKeysCard inPlan />);
  expect(screen.getByLabelText(/Name/)).toHaveValue('Returns');
  expect(screen.getByLabelText(/Read vehicles/)).toBeChecked();
});

const rows: Schemas['UsageRow'][] = [
  { day: '2026-11-20', source: 'web', keyName: null, path: 'local', scans: 2, costMicros: 0 },
  { day: '2026-11-21', source: 'web', keyName: null, path: 'llm', scans: 1, costMicros: 2500 },
  { day: '2026-11-21', source: 'k', keyName: 'Desk', path: 'local', scans: 4, costMicros: 0 },
];

const usage: Schemas['Usage'] = {
  from: '2026-10-23',
  to: '2026-11-21',
  scans: 7,
  costMicros: 2500,
  rows,
  fills: [
    { day: '2026-11-20', kind: 'oil', questions: 2, costMicros: 7000 },
    { day: '2026-11-21', kind: 'guide', questions: 1, costMicros: 3500 },
  ],
};

it('speaks of one scan as one', async () => {
  answer('get', '/api/usage', { ...usage, scans: 1 });
  renderScreen(<UsageCard />);
  expect(await screen.findByText(/^scan, \$0\.00/)).toBeVisible();
});

it('shows the scans and the cost of each day, in words and as tables', async () => {
  answer('get', '/api/usage', usage);
  const { person } = renderScreen(<UsageCard />);
  expect(
    await screen.findByText('3 questions to the AI for guides, oil and fit, $0.01'),
  ).toBeVisible();
  expect(screen.getByRole('img', { name: /^Scans a day/ })).toHaveAccessibleName(
    'Scans a day: 2 days of 30, most on Nov 21, 2026 with 5.',
  );
  expect(screen.getByRole('img', { name: /^Cost a day/ })).toHaveAccessibleName(
    'Cost a day: 2 days of 30, most on Nov 20, 2026 with $0.0070.',
  );
  for (const chart of screen.getAllByRole('img')) {
    expect(chart).toHaveAccessibleDescription('Days are in UTC.');
  }
  await person.click(
    screen.getByText(
      (_, node) =>
        node?.matches('summary') === true && node.textContent === 'Figures of Scans a day',
    ),
  );
  const table = screen.getByRole('region', { name: 'Figures of Scans a day' });
  const [, first, second, ...others] = within(table).getAllByRole('row');
  expect(first).toHaveTextContent('Nov 21, 2026145');
  expect(second).toHaveTextContent('Nov 20, 2026202');
  expect(others).toEqual([]);
  expect(hrefOf('CSV')).toBe('/api/export/usage.csv');
});

it('says what to do where nothing was scanned', async () => {
  answer('get', '/api/usage', { ...usage, scans: 0, costMicros: 0, rows: [], fills: [] });
  renderScreen(<UsageCard />);
  expect(await screen.findByText(/^Nothing was scanned in these days/)).toBeVisible();
  expect(screen.queryByRole('img')).not.toBeInTheDocument();
});

it('has a bar for each day, and parts for keys only where there are any', () => {
  const { series, bars } = scanBars(usage);
  expect(series).toEqual(['In the browser', 'By API keys']);
  expect(bars).toHaveLength(30);
  expect(bars[0]).toEqual({ name: 'Oct 23, 2026', short: 'Oct 23', values: [0, 0] });
  expect(bars.slice(-2).map(({ values }) => values)).toEqual([
    [2, 0],
    [1, 4],
  ]);
  const web = rows.filter(({ source }) => source === 'web');
  const alone = scanBars({ ...usage, rows: web });
  expect(alone.series).toEqual(['Scans']);
  expect(alone.bars.at(-1)?.values).toEqual([1]);
});

it('adds what the AI filled in to the cost of a day', () => {
  expect(costBars(usage).bars.slice(-2)).toEqual([
    { name: 'Nov 20, 2026', short: 'Nov 20', values: [0, 7000] },
    { name: 'Nov 21, 2026', short: 'Nov 21', values: [2500, 3500] },
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
  const refusalOf = (changes: object) => checkForm(keySchema, { ...EMPTY_KEY, ...changes });
  expect(refusalOf({ name: ' ' })).toMatchObject({ refusal: { fields: ['name'] } });
  expect(refusalOf({ name: 'Desk', scopes: [] })).toMatchObject({
    refusal: { fields: ['scopes'] },
  });
  expect(refusalOf({ name: 'Desk' }).ok).toBe(true);
});
