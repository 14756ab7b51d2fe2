import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { NameFields } from '@/features/accounts/auth/components/account-fields';
import { namesSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { authQueries } from '@/features/accounts/auth/queries';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';

type NamesCardProps = { user: Schemas['User'] };

export function NamesCard({ user }: NamesCardProps) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const names = { firstName: user.firstName, lastName: user.lastName };
  const rename = useMutation({
    mutationFn: authMutations.rename,
    onSuccess: (renamed) => {
      queryClient.setQueryData(authQueries.user().queryKey, renamed);
      form.reset({ firstName: renamed.firstName, lastName: renamed.lastName });
      toast({ title: 'Name saved', description: 'This is how you appear from now on.' });
    },
    onError: (error) => {
      if (!form.refuse(error)) fail(error, 'Please try again.', 'The name was not saved');
    },
  });
  const form = useForm({ schema: namesSchema, initial: names, draftKey: 'draft.names' });
  const idle = rename.isPending || !form.isChanged;

  return (
    <SettingsCard title="Your name">
      <form
        noValidate
        aria-label="Your name"
        className="grid gap-4"
        onSubmit={form.submit((body) => {
          if (!idle) rename.mutate(body);
        })}
      >
        <NameFields first={form.bindWithError('firstName')} last={form.bindWithError('lastName')} />
        {/* Disabled outright, it would lose the focus at the moment that it is pressed. */}
        <Button type="submit" className="justify-self-start" aria-disabled={idle}>
          {rename.isPending ? 'Saving...' : 'Save Name'}
        </Button>
      </form>
    </SettingsCard>
  );
}
