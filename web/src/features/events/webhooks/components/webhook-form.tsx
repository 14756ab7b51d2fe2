import { useMutation } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import type { Schemas } from '@/api/client';
import { FormButtons } from '@/components/form-buttons';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import {
  EMPTY_WEBHOOK,
  EVENTS,
  WEBHOOK_DRAFT,
  webhookSchema,
} from '@/features/events/webhooks/model';
import { webhookMutations } from '@/features/events/webhooks/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useForm } from '@/hooks/use-form';

type WebhookFormProps = {
  /** The webhook to change; a new one without. */
  webhook?: Schemas['Webhook'];
  /** With the secret of a new one. */
  onSaved: (secret: string | null) => void;
  onCancel: () => void;
};

export function WebhookForm({ webhook, onSaved, onCancel }: WebhookFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const title = webhook ? 'The webhook was not changed' : 'The webhook was not added';
  const form = useForm({
    schema: webhookSchema,
    initial: webhook ? { url: webhook.url, events: webhook.events } : EMPTY_WEBHOOK,
    draftKey: webhook ? `${WEBHOOK_DRAFT}.${webhook.id}` : WEBHOOK_DRAFT,
    alert: true,
  });
  const events = useWatch({ control: form.control, name: 'events' });
  const save = useMutation({
    // The secret of a new one.
    mutationFn: async (body: Schemas['WebhookForm']): Promise<string | null> => {
      if (webhook === undefined) return (await webhookMutations.create(body)).secret;
      await webhookMutations.update({ ...body, id: webhook.id });
      return null;
    },
    onSuccess: (secret) => onSaved(secret),
    onError: (error) => {
      form.refuse(error);
      fail(error, 'Please try again.', title);
    },
  });

  return (
    <form
      noValidate
      aria-label={webhook ? 'Change webhook' : 'New webhook'}
      className="grid gap-4 rounded-md border bg-canvas/40 p-4"
      onSubmit={form.submit(
        (body) => save.mutate(body),
        (description) => toast({ title, description, tone: 'bad' }),
      )}
    >
      <Field
        label="Address"
        hint="Such as https://shop.example.com/hooks"
        type="url"
        inputMode="url"
        autoComplete="off"
        required
        autoFocus
        {...form.bind('url')}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">Events to send</legend>
        {EVENTS.map(({ kind, label }) => (
          <label key={kind} className="flex min-h-8 items-center gap-3 text-sm">
            <input
              type="checkbox"
              checked={events.includes(kind)}
              onChange={(event) => {
                const others = events.filter((other) => other !== kind);
                form.set({ events: event.target.checked ? [...others, kind] : others });
              }}
              className="size-5 shrink-0 accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <FormButtons
        label={webhook ? 'Save Webhook' : 'Add Webhook'}
        busy={save.isPending}
        onCancel={onCancel}
      />
    </form>
  );
}
