import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import {
  expiryOf,
  keyRefusal,
  LIFETIMES_DAYS,
  SCOPES,
  type Lifetime,
  type Scope,
} from '@/features/api-keys/model';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { apiKeyMutations } from '@/features/api-keys/mutations';

type CreateKeyFormProps = { onCreated: (secret: string) => void; onCancel: () => void };

export function CreateKeyForm({ onCreated, onCancel }: CreateKeyFormProps) {
  const toast = useToast();
  const [name, setName] = useState('');
  useUnsavedWork(name !== '');
  const [scopes, setScopes] = useState<readonly Scope[]>(['scan']);
  const [lifetime, setLifetime] = useState<Lifetime>('365');
  const create = useMutation({
    ...apiKeyMutations.create(),
    onSuccess: ({ key }) => {
      onCreated(key);
    },
    onError: (error) => {
      toast({
        title: 'The key was not made',
        description: sentenceOf(error, 'Please try again.'),
        tone: 'bad',
      });
    },
  });

  return (
    <form
      noValidate
      aria-label="New API key"
      className="grid gap-4 rounded-md border bg-canvas/40 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        const refusal = keyRefusal(name, scopes);
        if (refusal !== null) {
          toast({ title: 'The key was not made', description: refusal, tone: 'bad' });
          return;
        }
        create.mutate({
          name: name.trim(),
          scopes: [...scopes],
          expiresAt: expiryOf(lifetime, new Date()),
        });
      }}
    >
      <Field
        label="Name"
        hint="Where it is used, such as Returns desk"
        autoComplete="off"
        required
        autoFocus
        value={name}
        onChange={(event) => {
          setName(event.target.value);
        }}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium">What it opens</legend>
        {SCOPES.map(({ scope, label }) => (
          <label key={scope} className="flex min-h-8 items-center gap-3 text-sm">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={(event) => {
                const others = scopes.filter((other) => other !== scope);
                setScopes(event.target.checked ? [...others, scope] : others);
              }}
              className="size-5 shrink-0 accent-accent"
            />
            {label}
          </label>
        ))}
      </fieldset>
      <SelectField
        label="Ends after"
        value={lifetime}
        onChange={(event) => {
          setLifetime(event.target.value as Lifetime);
        }}
      >
        {Object.entries(LIFETIMES_DAYS).map(([value, days]) => (
          <option key={value} value={value}>
            {days === null ? 'No end' : `${days} days`}
          </option>
        ))}
      </SelectField>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={create.isPending}>
          {create.isPending ? 'Making the key...' : 'Make Key'}
        </Button>
        <Button look="ghost" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
