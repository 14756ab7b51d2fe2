import { useMutation } from '@tanstack/react-query';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
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
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          hint="Password must be at least 6 characters"
          {...form.bindWithError('password', ['repeated'])}
        />
        <Field
          label="New password, again"
          type="password"
          autoComplete="new-password"
          required
          {...form.bindWithError('repeated')}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={reset.isPending}>
            {reset.isPending ? 'Saving...' : 'Set Password'}
          </Button>
          <Button look="ghost" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </form>
    </SettingsCard>
  );
}
