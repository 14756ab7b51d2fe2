import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { QueryState } from '@/components/query-state';
import { SecretNotice } from '@/components/secret-notice';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { WebhookForm } from '@/features/events/webhooks/components/webhook-form';
import { WebhookRow } from '@/features/events/webhooks/components/webhook-row';
import { WEBHOOK_DRAFT } from '@/features/events/webhooks/model';
import { webhookQueries } from '@/features/events/webhooks/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { useOpener } from '@/hooks/use-opener';

type WebhooksCardProps = {
  /** Whether the plan includes webhooks; those that are there can be deleted on every plan. */
  inPlan: boolean;
};

/** The addresses of programs that are told what happens. */
export function WebhooksCard({ inPlan }: WebhooksCardProps) {
  const webhooks = useQuery(webhookQueries.list());
  const [adding, setAdding] = useState(useHasDraft(WEBHOOK_DRAFT));
  const opener = useOpener(adding);
  const [secret, setSecret] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const done = () => {
    setSecret(null);
    // The notice goes, and with it the button that has the focus.
    heading.current?.focus();
  };
  return (
    <SettingsCard
      heading={heading}
      title="Your Webhooks"
      action={
        inPlan &&
        !adding && (
          <Button
            ref={opener}
            size="small"
            onClick={() => {
              setAdding(true);
              setSecret(null);
            }}
          >
            Add Webhook
          </Button>
        )
      }
    >
      {adding && (
        <WebhookForm
          onSaved={(secret) => {
            setSecret(secret);
            setAdding(false);
          }}
          onCancel={() => setAdding(false)}
        />
      )}
      {secret !== null && (
        <SecretNotice what="secret" secret={secret} onDone={done}>
          It is shown this once. Your program uses it to verify signatures.
        </SecretNotice>
      )}
      <QueryState
        query={webhooks}
        what="Your webhooks"
        label="Loading webhooks"
        rows={2}
        rowClassName="h-20"
      />
      {webhooks.data?.length === 0 && !adding && (
        <p className="text-sm text-muted">
          {inPlan
            ? 'No webhooks yet. Add the address of a program, and it receives each answer at once.'
            : 'No webhooks.'}
        </p>
      )}
      <ul
        aria-label="Webhooks"
        className="grid grid-cols-1 divide-y rounded-md border empty:hidden"
      >
        {webhooks.data?.map((webhook) => (
          <WebhookRow
            key={webhook.id}
            webhook={webhook}
            inPlan={inPlan}
            heading={heading}
            onSecret={setSecret}
          />
        ))}
      </ul>
    </SettingsCard>
  );
}
