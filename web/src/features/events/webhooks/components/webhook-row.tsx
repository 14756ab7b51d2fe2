import { useMutation } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { Deliveries } from '@/features/events/webhooks/components/deliveries';
import { WebhookForm } from '@/features/events/webhooks/components/webhook-form';
import { isGivenUp, stateOf } from '@/features/events/webhooks/model';
import { webhookMutations } from '@/features/events/webhooks/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOpener } from '@/hooks/use-opener';
import { countOf, formatScanTime } from '@/lib/format';

type WebhookRowProps = {
  webhook: Schemas['Webhook'];
  /** Whether the plan includes webhooks; without it one can only be switched off and deleted. */
  inPlan: boolean;
  /** Takes the focus when the row goes. */
  heading: RefObject<HTMLElement | null>;
  onSecret: (secret: string) => void;
};

export function WebhookRow({ webhook, inPlan, heading, onSecret }: WebhookRowProps) {
  const [open, setOpen] = useState<'deliveries' | 'form' | null>(null);
  const opener = useOpener(open === 'form');
  const state = stateOf(webhook);
  const toggle = (what: 'deliveries' | 'form') => setOpen(open === what ? null : what);
  return (
    <li className="grid grid-cols-1 gap-3 p-3" aria-label={webhook.url}>
      <div className="grid min-w-0 gap-1">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          <bdi className="min-w-0 wrap-anywhere">{webhook.url}</bdi>
          <Badge tone={state.tone}>{state.text}</Badge>
        </p>
        <p className="text-xs text-muted">{summaryOf(webhook)}</p>
        {webhook.paused !== null && <p className="text-sm text-warn">{webhook.paused}</p>}
        {isGivenUp(webhook) && (
          <p className="text-sm text-bad">
            The server switched it off. Deliveries says why.
            {inPlan &&
              ' Correct the address or the program there, send a test, and switch it on. Then send what was not delivered again, under Deliveries.'}
          </p>
        )}
        <p className="flex flex-wrap gap-1.5">
          {webhook.events.map((kind) => (
            <Badge key={kind}>{kind}</Badge>
          ))}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {inPlan && <TestButton webhook={webhook} />}
        <Button
          size="small"
          aria-expanded={open === 'deliveries'}
          onClick={() => toggle('deliveries')}
        >
          Deliveries
        </Button>
        {inPlan && (
          <Button
            ref={opener}
            size="small"
            aria-expanded={open === 'form'}
            onClick={() => toggle('form')}
          >
            Change
          </Button>
        )}
        {(inPlan || webhook.enabled) && <SwitchButton webhook={webhook} />}
        {inPlan && <SecretButton webhook={webhook} heading={heading} onSecret={onSecret} />}
        <DeleteButton webhook={webhook} heading={heading} />
      </div>
      {open === 'form' && (
        <WebhookForm
          webhook={webhook}
          onSaved={() => setOpen(null)}
          onCancel={() => setOpen(null)}
        />
      )}
      {open === 'deliveries' && <Deliveries webhook={webhook} />}
    </li>
  );
}

function summaryOf({ enabled, paused, failingSince, waiting, dead }: Schemas['Webhook']): string {
  const parts = [
    failingSince !== null && `Nothing has arrived since ${formatScanTime(failingSince)}`,
    waiting > 0 &&
      `${countOf(waiting, 'message')} ${enabled && paused === null ? 'on the way' : 'held back'}`,
    dead > 0 && `${countOf(dead, 'message')} not delivered`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(' · ') : 'No messages waiting.';
}

type OfWebhook = Pick<WebhookRowProps, 'webhook'>;

function TestButton({ webhook }: OfWebhook) {
  const toast = useToast();
  const fail = useFailureToast();
  const test = useMutation({
    mutationFn: webhookMutations.test,
    onSuccess: ({ delivered, status, problem, durationMs }) =>
      toast(
        delivered
          ? {
              title: 'The test arrived',
              description: `Answered with ${status ?? 'success'} in ${durationMs} ms.`,
            }
          : {
              title: 'The test did not arrive',
              description: `${problem ?? ''}${status === null ? '' : ` It was ${status}.`}`,
              tone: 'bad',
            },
      ),
    onError: (error) => fail(error, 'Please try again.', 'The test was not sent'),
  });
  return (
    <Button size="small" disabled={test.isPending} onClick={() => test.mutate(webhook.id)}>
      {test.isPending ? 'Sending...' : 'Send Test'}
    </Button>
  );
}

function SwitchButton({ webhook }: OfWebhook) {
  const fail = useFailureToast();
  const { id, url, events, enabled } = webhook;
  const change = useMutation({
    mutationFn: webhookMutations.update,
    onError: (error) => fail(error, 'Please try again.', 'The webhook was not changed'),
  });
  return (
    <Button
      size="small"
      disabled={change.isPending}
      onClick={() => change.mutate({ id, url, events, enabled: !enabled })}
    >
      {enabled ? 'Switch Off' : 'Switch On'}
    </Button>
  );
}

function SecretButton({ webhook, heading, onSecret }: Omit<WebhookRowProps, 'inPlan'>) {
  const fail = useFailureToast();
  const renew = useMutation({
    mutationFn: webhookMutations.renewSecret,
    onSuccess: ({ secret }) => onSecret(secret),
    onError: (error) => fail(error, 'Please try again.', 'The secret was not changed'),
  });
  return (
    <ConfirmDialog
      trigger={
        <Button size="small" disabled={renew.isPending}>
          New Secret
        </Button>
      }
      title="Make a new secret?"
      description="From now on messages are signed with the new one alone. Your program refuses them until it knows it."
      confirmLabel="Make Secret"
      // Closes at once: the secret takes the focus when it arrives.
      onConfirm={() => renew.mutate(webhook.id)}
      focusOnConfirm={heading}
    />
  );
}

function DeleteButton({ webhook, heading }: Pick<WebhookRowProps, 'webhook' | 'heading'>) {
  const toast = useToast();
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: webhookMutations.delete,
    onSuccess: () =>
      toast({ title: 'Webhook deleted', description: 'It receives no more events.' }),
    onError: (error) => fail(error, 'Please try again.', 'The webhook was not deleted'),
  });
  return (
    <ConfirmDialog
      trigger={
        <Button size="small" disabled={remove.isPending}>
          Delete
        </Button>
      }
      title="Delete this webhook?"
      description="Nothing is sent there any more, and what waits for it is deleted. This cannot be undone."
      confirmLabel="Delete Webhook"
      onConfirm={() => remove.mutateAsync(webhook.id)}
      focusOnConfirm={heading}
    />
  );
}
