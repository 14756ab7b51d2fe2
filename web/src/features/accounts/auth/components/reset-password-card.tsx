import { useMutation } from '@tanstack/react-query';
import { SettingsCard } from '@/components/settings-card';
import { FormButtons } from '@/components/form-buttons';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { NewPasswordField } from '@/features/accounts/auth/components/account-fields';
import { resetPasswordSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useForm } from '@/hooks/use-form';

type ResetPasswordCardProps = {
  /** The secret of the mailed link. */
  token: string;
  onDone: () => void;
  onCancel: () => void;
};

const EMPTY = { password: '', repeated: '' };

export function ResetPasswordCard({ token, onDone, onCancel }: ResetPasswordCardProps) {
  const toast = useToast();
  const reset = useMutation({
    mutationFn: authMutations.resetPassword,
    onSuccess: () => {
      toast({
        title: 'Password changed',
        description: 'All your sessions have ended. Sign in with the new password.',
      });
      onDone();
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
        onSubmit={form.submit(({ password }) => reset.mutate({ token, password }))}
      >
        <NewPasswordField label="New password" {...form.bindWithError('password', ['repeated'])} />
        <NewPasswordField
          label="New password, again"
          hint={undefined}
          {...form.bindWithError('repeated')}
        />
        <FormButtons label="Set Password" busy={reset.isPending} onCancel={onCancel} />
      </form>
    </SettingsCard>
  );
}
