import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { NameFields } from '@/features/accounts/auth/components/account-fields';
import { namesSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { authQueries } from '@/features/accounts/auth/queries';
import { useHasDraft } from '@/hooks/use-draft';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { useOpener } from '@/hooks/use-opener';

const NAMES_DRAFT = 'draft.names';

type NamesCardProps = { user: Schemas['User'] };

export function NamesCard({ user }: NamesCardProps) {
  const [open, setOpen] = useState(useHasDraft(NAMES_DRAFT));
  const opener = useOpener(open);
  return (
    <SettingsCard
      title="Your name"
      description="As your mails, invitations and company have it."
      action={
        !open && (
          <Button ref={opener} size="small" onClick={() => setOpen(true)}>
            Change Name
          </Button>
        )
      }
    >
      {open && <NamesForm user={user} onClose={() => setOpen(false)} />}
    </SettingsCard>
  );
}

type NamesFormProps = NamesCardProps & { onClose: () => void };

function NamesForm({ user, onClose }: NamesFormProps) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const names = { firstName: user.firstName, lastName: user.lastName };
  const rename = useMutation({
    mutationFn: authMutations.rename,
    onSuccess: (renamed) => {
      queryClient.setQueryData(authQueries.user().queryKey, renamed);
      form.reset({ firstName: renamed.firstName, lastName: renamed.lastName });
      toast({
        title: 'Name saved',
        description: 'Your mails and invitations have it from now on.',
      });
    },
    onError: (error) => {
      if (!form.refuse(error)) fail(error, 'Please try again.', 'The name was not saved');
    },
  });
  const form = useForm({ schema: namesSchema, initial: names, draftKey: NAMES_DRAFT });
  useLeaveGuard(form.isChanged);
  const idle = rename.isPending || !form.isChanged;

  return (
    <form
      noValidate
      aria-label="Your name"
      className="grid gap-4"
      onSubmit={form.submit((body) => {
        if (!idle) rename.mutate(body);
      })}
    >
      <NameFields
        first={{ autoFocus: true, ...form.bindWithError('firstName') }}
        last={form.bindWithError('lastName')}
      />
      <div className="flex flex-wrap gap-2">
        {/* Disabled outright, it would lose the focus at the moment that it is pressed. */}
        <Button type="submit" aria-disabled={idle}>
          {rename.isPending ? 'Saving...' : 'Save Name'}
        </Button>
        <Button look="ghost" onClick={onClose}>
          Close
        </Button>
      </div>
    </form>
  );
}
