import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { changePasswordSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';

type PasswordCardProps = { user: Pick<Schemas['User'], 'hasPassword'> };

const EMPTY = { currentPassword: '', newPassword: '', repeated: '' };

export function PasswordCard({ user }: PasswordCardProps) {
  const [open, setOpen] = useState(false);
  const label = user.hasPassword ? 'Change Password' : 'Set a Password';
  return (
    <SettingsCard
      title="Password"
      description={
        user.hasPassword
          ? 'A new password signs all your other browsers out.'
          : 'You sign in with Google. With a password you can sign in by e-mail as well.'
      }
      action={
        !open && (
          <Button size="small" onClick={() => setOpen(true)}>
            {label}
          </Button>
        )
      }
    >
      {open && <PasswordForm hasPassword={user.hasPassword} onClose={() => setOpen(false)} />}
    </SettingsCard>
  );
}

type PasswordFormProps = { hasPassword: boolean; onClose: () => void };

function PasswordForm({ hasPassword, onClose }: PasswordFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const change = useMutation({
    mutationFn: authMutations.changePassword,
    onSuccess: () => {
      toast({ title: 'Password changed', description: 'Your other browsers are signed out.' });
      onClose();
    },
    onError: (error) => {
      if (!form.refuse(error)) fail(error, 'Please try again.', 'The password was not changed');
    },
  });
  const form = useForm({ schema: changePasswordSchema(hasPassword), initial: EMPTY });

  return (
    <form
      noValidate
      aria-label="Change password"
      className="grid gap-4"
      onSubmit={form.submit((body) => change.mutate(body))}
    >
      {hasPassword && (
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          {...form.bindWithError('currentPassword')}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          hint="Password must be at least 6 characters"
          {...form.bindWithError('newPassword', ['repeated'])}
        />
        <Field
          label="New password, again"
          type="password"
          autoComplete="new-password"
          required
          {...form.bindWithError('repeated')}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={change.isPending}>
          {change.isPending ? 'Saving...' : 'Save Password'}
        </Button>
        <Button look="ghost" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
