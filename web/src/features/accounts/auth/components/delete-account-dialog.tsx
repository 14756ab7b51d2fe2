import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { PasswordField } from '@/features/accounts/auth/components/account-fields';
import { deletionSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useSignedOut } from '@/features/accounts/auth/use-signed-out';
import { useForm } from '@/hooks/use-form';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { forgetKeptWork } from '@/lib/kept-work';

type DeleteAccountDialogProps = {
  open: boolean;
  user: Schemas['User'];
  /** What ends with the account beside its own records, in sentences. */
  alsoEnds: readonly string[];
  onClose: () => void;
  onDeleted?: () => void;
};

const EMPTY = { confirmation: '', password: '' };

export function DeleteAccountDialog({
  open,
  user,
  alsoEnds,
  onClose,
  onDeleted,
}: DeleteAccountDialogProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const signedOut = useSignedOut();
  const formId = useId();
  const remove = useMutation({
    mutationFn: authMutations.deleteAccount,
    onSuccess: () => {
      toast({ title: 'Account deleted', description: 'Your data is gone from this server.' });
      void forgetKeptWork(null);
      onDeleted?.();
      signedOut();
    },
    onError: (error) => {
      if (!form.refuse(error)) fail(error, 'Please try again.', 'The account was not deleted');
    },
  });
  const form = useForm({ schema: deletionSchema(user), initial: EMPTY });

  return (
    <Dialog
      open={open}
      busy={remove.isPending}
      onClose={onClose}
      title="Delete your account?"
      description="Your vehicles, records, scans and photographs are deleted with it. This cannot be undone."
      footer={
        <>
          <Button disabled={remove.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={formId} look="danger" disabled={remove.isPending}>
            {remove.isPending ? 'Deleting...' : 'Delete for Good'}
          </Button>
        </>
      }
    >
      {alsoEnds.map((sentence) => (
        <p key={sentence} className="mb-4 text-sm wrap-anywhere text-warn">
          {sentence}
        </p>
      ))}
      <form
        id={formId}
        noValidate
        aria-label="Delete account"
        className="grid gap-4"
        onSubmit={form.submit((body) => remove.mutate(body))}
      >
        <Field
          label="Your e-mail address, to confirm"
          hint={`Type ${user.email}`}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.bindWithError('confirmation')}
        />
        {user.hasPassword && <PasswordField {...form.bindWithError('password')} />}
      </form>
    </Dialog>
  );
}
