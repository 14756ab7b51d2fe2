import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { text } from '@/lib/form-schema';
import { countOf, formatScanTime } from '@/lib/format';

type EventKind = Schemas['Webhook']['events'][number];

/** What a webhook may be told, in the order that the form asks. */
export const EVENTS: readonly { kind: EventKind; label: string }[] = [
  { kind: 'scan.answered', label: 'A photo has its answer' },
  { kind: 'batch.finished', label: 'A batch is finished' },
  { kind: 'batch.stopped', label: 'A batch cannot go on' },
  { kind: 'batch.item-failed', label: 'A photo of a batch failed' },
  { kind: 'reminder.due', label: 'Something on a vehicle is due' },
];

type WebhookFields = { url: string; events: EventKind[] };

export const EMPTY_WEBHOOK: WebhookFields = { url: '', events: ['scan.answered'] };

/** Where this browser keeps the form of a webhook that waits for somebody to sign in. */
export const WEBHOOK_DRAFT = 'draft.webhook';

export const webhookSchema = z.object({
  url: text('Give the address that events are sent to.'),
  events: z.array(z.custom<EventKind>()).check(z.minLength(1, 'Choose at least one event.')),
}) satisfies z.ZodMiniType<Schemas['WebhookForm'], WebhookFields>;

type State = { text: string; tone: 'good' | 'warn' | 'bad' | 'neutral' };

/** Whether the server has switched it off: its owner's switch forgets the failures. */
export function isGivenUp({ enabled, failingSince }: Schemas['Webhook']): boolean {
  return !enabled && failingSince !== null;
}

/** How a webhook is doing, in a word. */
export function stateOf(webhook: Schemas['Webhook']): State {
  if (isGivenUp(webhook)) return { text: 'Switched off', tone: 'bad' };
  if (!webhook.enabled) return { text: 'Off', tone: 'neutral' };
  if (webhook.paused !== null) return { text: 'Paused', tone: 'warn' };
  if (webhook.failingSince !== null) return { text: 'Failing', tone: 'bad' };
  return { text: 'On', tone: 'good' };
}

const DELIVERY_STATES: Record<Schemas['DeliveryState'], State> = {
  waiting: { text: 'Waiting', tone: 'warn' },
  delivered: { text: 'Delivered', tone: 'good' },
  dead: { text: 'Not delivered', tone: 'bad' },
};

export function deliveryState({ state }: Schemas['WebhookDelivery']): State {
  return DELIVERY_STATES[state];
}

/** When a delivery was tried, how often, and when it is next, in a line. */
export function deliveryFacts(
  delivery: Schemas['WebhookDelivery'],
  webhook: Schemas['Webhook'],
  now: number,
): string {
  return [
    delivery.triedAt !== null && formatScanTime(delivery.triedAt),
    delivery.attempts > 1 && countOf(delivery.attempts, 'try', 'tries'),
    delivery.status !== null && `status ${delivery.status}`,
    isSending(webhook) && nextTry(delivery, now),
  ]
    .filter((part) => part !== false)
    .join(' · ');
}

/** Whether anything is sent to a webhook now. */
function isSending({ enabled, paused }: Schemas['Webhook']): boolean {
  return enabled && paused === null;
}

/** What is said of messages that are to be sent again. */
export function resent(webhook: Schemas['Webhook'], count: number) {
  const messages = countOf(count, 'message');
  if (isSending(webhook)) {
    return { title: `${messages} sent again`, description: 'The result is listed here.' };
  }
  return {
    title: `${messages} ${count === 1 ? 'waits' : 'wait'}`,
    description: `${count === 1 ? 'It is' : 'They are'} sent once ${webhook.enabled ? 'your plan includes webhooks again' : 'the webhook is switched on'}.`,
  };
}

/** A failing address gets nothing for up to ten minutes, so a try can be late. */
function nextTry({ nextAt, attempts }: Schemas['WebhookDelivery'], now: number): string | false {
  if (nextAt === null) return false;
  if (attempts === 0) return 'not sent yet';
  return `again ${Date.parse(nextAt) > now ? formatScanTime(nextAt) : 'within ten minutes'}`;
}

/** What a delivery tells, from its payload. */
export function typeOf({ payload }: Schemas['WebhookDelivery']): string {
  const type = (payload as Record<string, unknown>).type;
  return typeof type === 'string' ? type : '';
}
