import { screen, waitFor, within } from '@testing-library/react';
import { http, HttpResponse } from 'msw';
import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import { WebhooksCard } from '@/features/events/webhooks/components/webhooks-card';
import {
  deliveryFacts,
  EMPTY_WEBHOOK,
  stateOf,
  webhookSchema,
} from '@/features/events/webhooks/model';
import { checkForm } from '@/lib/form-schema';
import { confirm, renderScreen } from '@/testing/render';
import { answer, note, refuse, server } from '@/testing/server';

const hook: Schemas['Webhook'] = {
  id: 'hook-1',
  url: 'https://shop.example.com/hooks',
  events: ['scan.answered'],
  enabled: true,
  failingSince: null,
  paused: null,
  waiting: 0,
  dead: 0,
  createdAt: '2026-01-02T03:04:05Z',
};

const lost: Schemas['WebhookDelivery'] = {
  eventId: 'event-1',
  // The document says no more than that it is an object.
  payload: { type: 'scan.answered' } as unknown as Schemas['WebhookDelivery']['payload'],
  state: 'dead',
  attempts: 10,
  nextAt: null,
  triedAt: '2026-01-02T03:04:05Z',
  status: 500,
  problem: 'The answer was not a success (2xx).',
};

it('adds a webhook, shows its secret once, and forgets it', async () => {
  answer('get', '/api/webhooks', []);
  const sent = note('post', '/api/webhooks', { ...hook, secret: 'whsec_abc' }, 201);
  const { person } = renderScreen(<WebhooksCard inPlan />);
  expect(await screen.findByText(/^No webhooks yet/)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Add Webhook' }));
  await person.type(screen.getByLabelText(/Address/), hook.url);
  await person.click(screen.getByLabelText('A batch is finished'));
  await person.click(screen.getByRole('button', { name: 'Add Webhook' }));
  expect(await screen.findByText('whsec_abc')).toBeVisible();
  expect(sent).toHaveBeenCalledWith({
    url: hook.url,
    events: ['scan.answered', 'batch.finished'],
  });
  await person.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByText('whsec_abc')).not.toBeInTheDocument();
});

it('can only be switched off and deleted once the plan has ended', async () => {
  answer('get', '/api/webhooks', [hook, { ...hook, id: 'hook-2', enabled: false }]);
  renderScreen(<WebhooksCard inPlan={false} />);
  expect(await screen.findAllByRole('button', { name: 'Delete' })).toHaveLength(2);
  expect(screen.getByRole('button', { name: 'Switch Off' })).toBeVisible();
  expect(
    screen.queryByRole('button', { name: /^(Add|Change|Send|New Secret|Switch On)/ }),
  ).not.toBeInTheDocument();
});

it('keeps what was typed when an address is refused, and says why', async () => {
  const detail = 'This address leads into a private network.';
  answer('get', '/api/webhooks', []);
  refuse('post', '/api/webhooks', { status: 422, detail });
  const { person } = renderScreen(<WebhooksCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Add Webhook' }));
  await person.type(screen.getByLabelText(/Address/), 'https://10.0.0.1{Enter}');
  expect((await screen.findAllByText(detail))[0]).toBeVisible();
  expect(screen.getByLabelText(/Address/)).toHaveValue('https://10.0.0.1');
});

it('says of a webhook that the server switched off where the reason is, and what to do', async () => {
  const off = { ...hook, enabled: false };
  answer('get', '/api/webhooks', [off, { ...off, id: 'hook-2', failingSince: hook.createdAt }]);
  renderScreen(<WebhooksCard inPlan />);
  expect(await screen.findByText('Switched off')).toBeVisible();
  // Nothing arrived for days, or the receiver wants no more.
  expect(
    screen.getByText(/^The server switched it off\. Deliveries says why\. Correct the address/),
  ).toBeVisible();
});

it('tests a webhook and says what came of it', async () => {
  answer('get', '/api/webhooks', [hook]);
  const test = { delivered: false, status: 404, problem: 'No success.', durationMs: 12 };
  note('post', '/api/webhooks/hook-1/test', test);
  const { person } = renderScreen(<WebhooksCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Send Test' }));
  expect(await screen.findByText('The test did not arrive')).toBeVisible();
  expect(screen.getByText('No success. It was 404.')).toBeVisible();
});

async function openDeliveries() {
  const { person } = renderScreen(<WebhooksCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Deliveries' }));
  return person;
}

it('lists what was not delivered and sends it again', async () => {
  answer('get', '/api/webhooks', [{ ...hook, dead: 1 }]);
  answer('get', '/api/webhooks/hook-1/deliveries', [lost]);
  const one = note('post', '/api/webhooks/hook-1/deliveries/event-1/retry');
  const all = note('post', '/api/webhooks/hook-1/deliveries/retry', { count: 2 });
  const person = await openDeliveries();
  const list = await screen.findByRole('list', { name: 'Deliveries' });
  expect(await within(list).findByText(lost.problem ?? '')).toBeVisible();
  await person.click(within(list).getByRole('button', { name: 'Send scan.answered again' }));
  expect(await screen.findByText('1 message sent again')).toBeVisible();
  expect(one).toHaveBeenCalled();
  answer('get', '/api/webhooks', [hook]);
  const resend = screen.getByRole('button', { name: 'Send All Undelivered Again' });
  await person.click(resend);
  expect(await screen.findByText('2 messages sent again')).toBeVisible();
  expect(all).toHaveBeenCalled();
  // The button goes, and the focus is not left nowhere.
  await waitFor(() => expect(resend).not.toBeInTheDocument());
  expect(list).toHaveFocus();
});

it.each([
  [{ enabled: false }, 'They are sent once the webhook is switched on.'],
  [{ paused: 'The plan has ended.' }, 'They are sent once your plan includes webhooks again.'],
])('says that nothing is sent by a webhook with %j yet', async (off, words) => {
  answer('get', '/api/webhooks', [{ ...hook, ...off, dead: 1 }]);
  answer('get', '/api/webhooks/hook-1/deliveries', [lost]);
  note('post', '/api/webhooks/hook-1/deliveries/event-1/retry');
  note('post', '/api/webhooks/hook-1/deliveries/retry', { count: 12 });
  const person = await openDeliveries();
  await person.click(await screen.findByRole('button', { name: 'Send All Undelivered Again' }));
  expect(await screen.findByText('12 messages wait')).toBeVisible();
  expect(screen.getByText(words)).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'Send scan.answered again' }));
  expect(await screen.findByText('1 message waits')).toBeVisible();
});

it('shows what became of a delivery that waited for its first try', async () => {
  const untried = { ...lost, state: 'waiting' as const, attempts: 0, triedAt: null, problem: null };
  answer('get', '/api/webhooks', [hook]);
  answer('get', '/api/webhooks/hook-1/deliveries', [untried]);
  await openDeliveries();
  const list = await screen.findByRole('list', { name: 'Deliveries' });
  await within(list).findByText('Waiting');
  answer('get', '/api/webhooks/hook-1/deliveries', [lost]);
  expect(await within(list).findByText(lost.problem ?? '', {}, { timeout: 4000 })).toBeVisible();
});

it.each([
  ['2026-01-02T04:00:00Z', 2, /again Jan 2, 2026/],
  // While nothing arrives, the address gets one message at a time: the others are late.
  ['2026-01-02T03:04:10Z', 2, /again within ten minutes/],
  ['2026-01-02T03:04:10Z', 0, /not sent yet/],
])('says when a waiting message is sent: due at %s after %i tries', (nextAt, attempts, words) => {
  const waiting = { ...lost, state: 'waiting' as const, nextAt, attempts };
  expect(deliveryFacts(waiting, hook, Date.parse('2026-01-02T03:30:00Z'))).toMatch(words);
});

it.each([{ paused: 'The plan has ended.' }, { enabled: false }])(
  'names no time for the messages of a webhook with %j',
  (off) => {
    const paused = { ...hook, ...off };
    const waiting = { ...lost, state: 'waiting' as const, nextAt: '2026-01-02T03:04:10Z' };
    expect(deliveryFacts(waiting, paused, Date.parse('2026-01-02T03:30:00Z'))).not.toMatch(/again/);
  },
);

it('shows older deliveries page by page', async () => {
  answer('get', '/api/webhooks', [hook]);
  const older = { ...lost, eventId: 'event-0', problem: 'The address does not answer.' };
  server.use(
    http.get('/api/webhooks/hook-1/deliveries', ({ request }) =>
      new URL(request.url).searchParams.get('before') === '7'
        ? HttpResponse.json([older])
        : HttpResponse.json([lost], { headers: { 'x-next-cursor': '7' } }),
    ),
  );
  const person = await openDeliveries();
  await person.click(await screen.findByRole('button', { name: 'Load more' }));
  expect(await screen.findByText(older.problem)).toBeVisible();
  expect(screen.getByText(lost.problem ?? '')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument();
});

it('deletes a webhook only after a question', async () => {
  answer('get', '/api/webhooks', [hook]);
  const deleted = note('delete', '/api/webhooks/hook-1');
  const { person } = renderScreen(<WebhooksCard inPlan />);
  await person.click(await screen.findByRole('button', { name: 'Delete' }));
  expect(deleted).not.toHaveBeenCalled();
  await confirm(person, 'Delete Webhook');
  expect(await screen.findByText('Webhook deleted')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'Your Webhooks' })).toHaveFocus();
});

it('says how a webhook is doing, and what its form needs', () => {
  expect(stateOf(hook).text).toBe('On');
  expect(stateOf({ ...hook, failingSince: hook.createdAt }).text).toBe('Failing');
  expect(stateOf({ ...hook, paused: 'The plan has ended.' }).text).toBe('Paused');
  expect(stateOf({ ...hook, enabled: false, failingSince: hook.createdAt })).toEqual({
    text: 'Switched off',
    tone: 'bad',
  });
  expect(stateOf({ ...hook, enabled: false }).text).toBe('Off');
  const refusalOf = (changes: object) => checkForm(webhookSchema, { ...EMPTY_WEBHOOK, ...changes });
  expect(refusalOf({ url: ' ' })).toMatchObject({ refusal: { fields: ['url'] } });
  expect(refusalOf({ url: hook.url, events: [] })).toMatchObject({
    refusal: { fields: ['events'] },
  });
  expect(refusalOf({ url: hook.url }).ok).toBe(true);
});
