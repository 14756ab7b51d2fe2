import { useMutation, useQueryClient } from '@tanstack/react-query';
import { SettingsCard } from '@/components/settings-card';
import { FormButtons } from '@/components/form-buttons';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { EndKeysField } from '@/features/accounts/auth/components/end-keys-field';
import { NewPasswordField } from '@/features/accounts/auth/components/account-fields';
import { resetPasswordSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { authQueries } from '@/features/accounts/auth/queries';
import { useForm } from '@/hooks/use-form';

type ResetPasswordCardProps = {
  /** The secret of the mailed link. */
  token: string;
  /** Told whether somebody is signed in still: not the person whose password it is. */
  onDone: (isSignedIn: boolean) => void;
  onCancel: () => void;
};

const EMPTY = { password: '', repeated: '', endKeys: false };

export function ResetPasswordCard({ token, onDone, onCancel }: ResetPasswordCardProps) {
  const toast = useToast();
  const queryClient = useQueryClient();
  const reset = useMutation({
    mutationFn: authMutations.resetPassword,
    onSuccess: async () => {
      // Nothing typed is left that a session which ended would have to keep.
      form.reset();
      // The sessions of this account have ended; who is signed in by now has another one.
      const other = await queryClient.query(authQueries.user()).catch(() => null);
      const isSignedIn = other !== null;
      toast({
        title: 'Password changed',
        description: isSignedIn
          ? 'The password of the other account was changed.'
          : 'All your sessions have ended. Sign in with the new password.',
      });
      onDone(isSignedIn);
    },
    onError: (error) => {
      if (form.refuse(error)) return;
      toast(failureMessage('The password was not changed', error));
    },
  });
  const form = useForm({ schema: resetPasswordSchema, initial: EMPTY });

  return (
    <SettingsCard
      title="Choose a new password"
      description="This ends all sessions of your account."
      className="mx-auto w-full max-w-md"
    >
      <form
        noValidate
        aria-label="New password"
        className="grid gap-4"
        onSubmit={form.submit(({ password, endKeys }) =>
          reset.mutate({ token, password, endKeys }),
        )}
      >
        <NewPasswordField label="New password" {...form.bindWithError('password', ['repeated'])} />
        <NewPasswordField
          label="New password, again"
          hint={undefined}
          {...form.bindWithError('repeated')}
        />
        <EndKeysField {...form.bind('endKeys')} />
        <FormButtons label="Set Password" busy={reset.isPending} onCancel={onCancel} />
      </form>
    </SettingsCard>
  );
}
