import { useMutation, useQueryClient } from '@tanstack/react-query';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { checkNames } from '@/features/auth/model';
import { authMutations } from '@/features/auth/mutations';
import { authQueries } from '@/features/auth/queries';
import { useSessionEnd } from '@/hooks/use-session-end';
import { isFieldRefusal, useCheckedForm } from '@/hooks/use-checked-form';

type NamesCardProps = { user: Schemas['User'] };

export function NamesCard({ user }: NamesCardProps) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const endSession = useSessionEnd();
  const names = { firstName: user.firstName, lastName: user.lastName };
  const rename = useMutation({
    ...authMutations.rename(),
    onSuccess: (renamed) => {
      queryClient.setQueryData(authQueries.user().queryKey, renamed);
      toast({ title: 'Name saved', description: 'This is how you appear from now on.' });
    },
    onError: (error) => {
      if (isFieldRefusal(error, names)) return;
      if (isSignedOut(error)) {
        endSession();
        return;
      }
      toast({
        title: 'The name was not saved',
        description: sentenceOf(error, 'Please try again.'),
        tone: 'bad',
      });
    },
  });
  const { form, bind, submit } = useCheckedForm(names, {
    check: checkNames,
    refusal: rename.error,
    draftKey: 'draft.names',
  });
  const changed = form.firstName !== user.firstName || form.lastName !== user.lastName;

  return (
    <SettingsCard title="Your name">
      <form
        noValidate
        aria-label="Your name"
        className="grid gap-4"
        onSubmit={submit(({ firstName, lastName }) => {
          rename.mutate({ firstName: firstName.trim(), lastName: lastName.trim() });
        })}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="First name" autoComplete="given-name" required {...bind('firstName')} />
          <Field label="Last name" autoComplete="family-name" required {...bind('lastName')} />
        </div>
        <Button
          type="submit"
          className="justify-self-start"
          disabled={rename.isPending || !changed}
        >
          {rename.isPending ? 'Saving...' : 'Save Name'}
        </Button>
      </form>
    </SettingsCard>
  );
}
