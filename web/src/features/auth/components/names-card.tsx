import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { checkNames } from '@/features/auth/model';
import { authMutations } from '@/features/auth/mutations';
import { authQueries } from '@/features/auth/queries';
import { isChanged, isFieldRefusal, useCheckedForm } from '@/hooks/use-checked-form';
import { useFailureToast } from '@/hooks/use-failure-toast';

type NamesCardProps = { user: Schemas['User'] };

export function NamesCard({ user }: NamesCardProps) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const fail = useFailureToast();
  const names = { firstName: user.firstName, lastName: user.lastName };
  const rename = useMutation({
    ...authMutations.rename(),
    onSuccess: (renamed) => {
      queryClient.setQueryData(authQueries.user().queryKey, renamed);
      toast({ title: 'Name saved', description: 'This is how you appear from now on.' });
    },
    onError: (error) => {
      if (isFieldRefusal(error, names)) return;
      fail(error, 'Please try again.', 'The name was not saved');
    },
  });
  const { form, bind, submit, reset } = useCheckedForm(names, {
    check: checkNames,
    refusal: rename.error,
    draftKey: 'draft.names',
  });
  const idle = rename.isPending || !isChanged(form, names);

  return (
    <SettingsCard title="Your name">
      <form
        noValidate
        aria-label="Your name"
        className="grid gap-4"
        onSubmit={submit(({ firstName, lastName }) => {
          if (idle) return;
          rename.mutate(
            { firstName: firstName.trim(), lastName: lastName.trim() },
            {
              onSuccess: () => {
                reset();
              },
            },
          );
        })}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First name" autoComplete="given-name" required {...bind('firstName')} />
          <Field label="Last name" autoComplete="family-name" required {...bind('lastName')} />
        </div>
        {/* Disabled outright, it would lose the focus at the moment that it is pressed. */}
        <Button type="submit" className="justify-self-start" aria-disabled={idle}>
          {rename.isPending ? 'Saving...' : 'Save Name'}
        </Button>
      </form>
    </SettingsCard>
  );
}
