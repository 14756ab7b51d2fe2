import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { QueryState } from '@/components/query-state';
import { SecretNotice } from '@/components/secret-notice';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { ApiKeyRow } from '@/features/accounts/api-keys/components/api-key-row';
import { CreateKeyForm } from '@/features/accounts/api-keys/components/create-key-form';
import { API_KEY_DRAFT } from '@/features/accounts/api-keys/model';
import { apiKeyQueries } from '@/features/accounts/api-keys/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { useOpener } from '@/hooks/use-opener';

type ApiKeysCardProps = {
  /** Whether the plan includes new keys; those that are there can be revoked on every plan. */
  inPlan: boolean;
};

/** Keys for programs: made, shown once, revoked. */
export function ApiKeysCard({ inPlan }: ApiKeysCardProps) {
  const keys = useQuery(apiKeyQueries.list());
  const [creating, setCreating] = useState(useHasDraft(API_KEY_DRAFT));
  const opener = useOpener(creating);
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
      title="Your Keys"
      action={
        inPlan &&
        !creating && (
          <Button
            ref={opener}
            size="small"
            onClick={() => {
              setCreating(true);
              setSecret(null);
            }}
          >
            Create Key
          </Button>
        )
      }
    >
      {creating && (
        <CreateKeyForm
          onCreated={(key) => {
            setSecret(key);
            setCreating(false);
          }}
          onCancel={() => setCreating(false)}
        />
      )}
      {secret !== null && (
        <SecretNotice what="key" secret={secret} onDone={done}>
          It is shown this once; the server keeps only its hash.
        </SecretNotice>
      )}
      <QueryState query={keys} what="Your keys" label="Loading keys" rows={2} rowClassName="h-14" />
      {keys.data?.length === 0 && !creating && (
        <p className="text-sm text-muted">
          {inPlan
            ? 'No keys yet. Create one for each program, so that you can revoke it alone.'
            : 'No keys.'}
        </p>
      )}
      <ul
        aria-label="API keys"
        className="grid grid-cols-1 divide-y rounded-md border empty:hidden"
      >
        {keys.data?.map((apiKey) => (
          <ApiKeyRow key={apiKey.id} apiKey={apiKey} heading={heading} />
        ))}
      </ul>
    </SettingsCard>
  );
}
