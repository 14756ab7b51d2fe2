import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useRef, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { itemsOf } from '@/api/page';
import { LoadMore } from '@/components/load-more';
import { QueryState } from '@/components/query-state';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { deliveryFacts, deliveryState, resent, typeOf } from '@/features/events/webhooks/model';
import { webhookMutations } from '@/features/events/webhooks/mutations';
import { webhookQueries } from '@/features/events/webhooks/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useFocusHeir } from '@/hooks/use-focus-heir';

type DeliveriesProps = { webhook: Schemas['Webhook'] };

/** What came of the messages to one webhook, the newest first, and a way to send them again. */
export function Deliveries({ webhook }: DeliveriesProps) {
  const deliveries = useInfiniteQuery(webhookQueries.deliveries(webhook.id));
  const listed = itemsOf(deliveries.data?.pages);
  const list = useRef<HTMLUListElement>(null);
  return (
    <div className="grid grid-cols-1 gap-2">
      <QueryState
        query={deliveries}
        what="The deliveries"
        label="Loading deliveries"
        rows={2}
        rowClassName="h-10"
      />
      {deliveries.data !== undefined && listed.length === 0 && (
        <p className="text-sm text-muted">Nothing was sent in the last days.</p>
      )}
      {webhook.dead > 0 && <ResendAll webhook={webhook} heir={list} />}
      <ul
        ref={list}
        tabIndex={-1}
        aria-label="Deliveries"
        className="grid max-h-80 grid-cols-1 divide-y overflow-y-auto rounded-md border empty:hidden"
      >
        {listed.map((delivery) => (
          <DeliveryRow
            key={delivery.eventId}
            webhook={webhook}
            delivery={delivery}
            readAt={deliveries.dataUpdatedAt}
          />
        ))}
      </ul>
      <LoadMore query={deliveries} />
    </div>
  );
}

type ResendAllProps = DeliveriesProps & {
  /** What has the focus when nothing is undelivered any more and the button goes. */
  heir: RefObject<HTMLElement | null>;
};

function ResendAll({ webhook, heir }: ResendAllProps) {
  const button = useRef<HTMLButtonElement>(null);
  useFocusHeir(button, () => heir.current);
  const toast = useToast();
  const fail = useFailureToast();
  const resend = useMutation({
    mutationFn: webhookMutations.resendDead,
    onSuccess: ({ count }) => toast(resent(webhook, count)),
    onError: (error) => fail(error, 'Please try again.', 'Nothing was sent again'),
  });
  return (
    // Never disabled: that would take the focus from it before it can pass it on.
    <Button
      ref={button}
      size="small"
      className="justify-self-start"
      onClick={() => !resend.isPending && resend.mutate(webhook.id)}
    >
      Send All Undelivered Again
    </Button>
  );
}

type DeliveryRowProps = DeliveriesProps & {
  delivery: Schemas['WebhookDelivery'];
  readAt: number;
};

function DeliveryRow({ webhook, delivery, readAt }: DeliveryRowProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const state = deliveryState(delivery);
  const type = typeOf(delivery);
  const resend = useMutation({
    mutationFn: webhookMutations.resend,
    onSuccess: () => toast(resent(webhook, 1)),
    onError: (error) => fail(error, 'Please try again.', 'It was not sent again'),
  });
  return (
    <li className="grid grid-cols-1 gap-1 p-2.5 text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="flex min-w-0 flex-wrap items-center gap-2">
          <code className="text-xs">{type}</code>
          <Badge tone={state.tone}>{state.text}</Badge>
        </p>
        <Button
          size="small"
          disabled={resend.isPending}
          aria-label={`Send ${type} again`}
          onClick={() => resend.mutate({ id: webhook.id, event: delivery.eventId })}
        >
          Send Again
        </Button>
      </div>
      <p className="text-xs text-muted">{deliveryFacts(delivery, webhook, readAt)}</p>
      {delivery.problem !== null && <p className="text-xs text-bad">{delivery.problem}</p>}
      <details className="text-xs">
        <summary className="cursor-pointer text-soft">Message</summary>
        <pre className="mt-1 overflow-x-auto rounded-sm bg-canvas p-2">
          {JSON.stringify(delivery.payload, null, 2)}
        </pre>
      </details>
    </li>
  );
}
