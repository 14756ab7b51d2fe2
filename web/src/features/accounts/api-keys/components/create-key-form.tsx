import { useMutation } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import { FormButtons } from '@/components/form-buttons';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import {
  API_KEY_DRAFT,
  EMPTY_KEY,
  keySchema,
  LIFETIMES_DAYS,
  SCOPES,
} from '@/features/accounts/api-keys/model';
import { apiKeyMutations } from '@/features/accounts/api-keys/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useForm } from '@/hooks/use-form';

type CreateKeyFormProps = { onCreated: (secret: string) => void; onCancel: () => void };

export function CreateKeyForm({ onCreated, onCancel }: CreateKeyFormProps) {
  const fail = useFailureToast();
  const form = useForm({
    schema: keySchema,
    initial: EMPTY_KEY,
    draftKey: API_KEY_DRAFT,
  });
  const scopes = useWatch({ control: form.control, name: 'scopes' });
  const { error: noScope } = form.bindWithError('scopes');
  const create = useMutation({
    mutationFn: apiKeyMutations.create,
    onSuccess: ({ key }) => onCreated(key),
    onError: (error) => {
      if (!form.refuse(error)) fail(error, 'Please try again.', 'The key was not made');
    },
  });

  return (
    <form
      noValidate
      aria-label="New API key"
      className="grid gap-4 rounded-md border bg-canvas/40 p-4"
      onSubmit={form.submit((body) => create.mutate(body))}
    >
      <Field
        label="Name"
        hint="Where it is used, such as Returns desk"
        autoComplete="off"
        required
        autoFocus
        {...form.bindWithError('name')}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">What it may do</legend>
        {SCOPES.map(({ scope, label }) => (
          <label key={scope} className="flex min-h-8 items-center gap-3 text-sm">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => {
                const others = scopes.filter((other) => other !== scope);
                form.set({ scopes: event.target.checked ? [...others, scope] : others });
              }}
              className="size-5 shrink-0 accent-accent"
            />
            {label}
          </label>
        ))}
        {noScope !== undefined && (
          <p role="alert" className="text-sm text-bad">
            {noScope}
          </p>
        )}
      </fieldset>
      <SelectField label="Ends after" {...form.bind('lifetime')}>
        {Object.entries(LIFETIMES_DAYS).map(([value, days]) => (
          <option key={value} value={value}>
            {days === null ? 'No end' : `${days} days`}
          </option>
        ))}
      </SelectField>
      <FormButtons
        label="Create Key"
        busyLabel="Making the key..."
        busy={create.isPending}
        onCancel={onCancel}
      />
    </form>
  );
}
