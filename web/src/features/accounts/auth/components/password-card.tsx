import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { SettingsCard } from '@/components/settings-card';
import { FormButtons } from '@/components/form-buttons';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import {
  NewPasswordField,
  PasswordField,
} from '@/features/accounts/auth/components/account-fields';
import { EndKeysField } from '@/features/accounts/auth/components/end-keys-field';
import { changePasswordSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useOpener } from '@/hooks/use-opener';

type PasswordCardProps = { user: Pick<Schemas['User'], 'hasPassword'> };

const EMPTY = { currentPassword: '', newPassword: '', repeated: '', endKeys: false };

export function PasswordCard({ user }: PasswordCardProps) {
  const [open, setOpen] = useState(false);
  const opener = useOpener(open);
  const label = user.hasPassword ? 'Change Password' : 'Set a Password';
  return (
    <SettingsCard
      title="Password"
      description={
        user.hasPassword
          ? 'A new password signs all your other browsers out. API keys and the calendar address go on unless you end them with it.'
          : 'You sign in with Google. With a password you can sign in by e-mail as well.'
      }
      action={
        !open && (
          <Button ref={opener} size="small" onClick={() => setOpen(true)}>
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
        <PasswordField
          label="Current password"
          autoFocus
          {...form.bindWithError('currentPassword')}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <NewPasswordField
          label="New password"
          autoFocus={!hasPassword}
          {...form.bindWithError('newPassword', ['repeated'])}
        />
        <NewPasswordField
          label="New password, again"
          hint={undefined}
          {...form.bindWithError('repeated')}
        />
      </div>
      <EndKeysField {...form.bind('endKeys')} />
      <FormButtons label="Save Password" busy={change.isPending} onCancel={onClose} />
    </form>
  );
}
