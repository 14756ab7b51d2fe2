import { useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { useToast } from '@/components/ui/use-toast';
import { apiKeyMutations } from '@/features/accounts/api-keys/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate, formatScanTime } from '@/lib/format';

type ApiKeyRowProps = {
  apiKey: Schemas['ApiKey'];
  /** Takes the focus when the row goes. */
  heading: RefObject<HTMLElement | null>;
};

export function ApiKeyRow({ apiKey, heading }: ApiKeyRowProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const revoke = useMutation({
    mutationFn: apiKeyMutations.revoke,
    onSuccess: () =>
      toast({ title: 'Key revoked', description: `${apiKey.name} no longer works.` }),
    onError: (error) => fail(error, 'Please try again.', 'The key was not revoked'),
  });
  const used =
    apiKey.lastUsedAt === null ? 'Never used' : `Last used ${formatScanTime(apiKey.lastUsedAt)}`;
  const ends = apiKey.expiresAt === null ? 'no end' : `until ${formatDate(apiKey.expiresAt)}`;
  return (
    <li className="flex flex-wrap items-center gap-3 p-3">
      <div className="grid min-w-0 flex-1 basis-52 gap-1">
        <p className="text-sm font-medium wrap-anywhere">
          <bdi>{apiKey.name}</bdi>
        </p>
        <p className="text-xs text-muted">
          <code>{apiKey.prefix}…</code> · {used} · {ends}
        </p>
        <p className="flex flex-wrap gap-1.5">
          {apiKey.scopes.map((scope) => (
            <Badge key={scope}>{scope}</Badge>
          ))}
        </p>
      </div>
      <ConfirmDialog
        trigger={
          <Button size="small" disabled={revoke.isPending} aria-label={`Revoke ${apiKey.name}`}>
            Revoke
          </Button>
        }
        title={`Revoke ${apiKey.name}?`}
        description="Programs that use it are refused from now on. This cannot be undone."
        confirmLabel="Revoke Key"
        onConfirm={() => revoke.mutateAsync(apiKey.id)}
        focusOnConfirm={heading}
      />
    </li>
  );
}
