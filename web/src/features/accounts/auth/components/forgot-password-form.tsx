import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settingsQuery } from '@/api/settings';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { EmailField } from '@/features/accounts/auth/components/account-fields';
import { mailboxSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useForm } from '@/hooks/use-form';

type ForgotPasswordFormProps = {
  /** What was typed as the e-mail address in a form before this one. */
  email: string;
  onBack: () => void;
};

/** Asks for the mail with the link. The answer never says whether an address has an account. */
export function ForgotPasswordForm({ email, onBack }: ForgotPasswordFormProps) {
  // As it was when this form came: what is typed here is a change of it.
  const [initial] = useState({ email });
  const toast = useToast();
  const settings = useQuery(settingsQuery());
  const sends = settings.data?.mail !== false;
  const forgot = useMutation({
    mutationFn: authMutations.forgotPassword,
    onError: (error) => {
      if (form.refuse(error)) return;
      toast(failureMessage('The mail could not be sent', error));
    },
  });
  const form = useForm({ schema: mailboxSchema, initial });

  if (forgot.isSuccess) {
    return (
      <div role="status" ref={takeLostFocus} tabIndex={-1} className="grid gap-4 outline-none">
        <Notice tone="info" title={sends ? 'Look into your mail' : 'Ask for the link'}>
          If {forgot.variables.email} has an account, a link for a new password is{' '}
          {sends
            ? 'on its way.'
            : 'in the mail folder of this server, which sends no mails. Ask whoever runs it for the link.'}{' '}
          It is valid for one hour.
        </Notice>
        <Button onClick={onBack}>Back to sign in</Button>
      </div>
    );
  }
  return (
    <form
      noValidate
      aria-label="Forgot your password"
      className="grid gap-4"
      onSubmit={form.submit((body) => forgot.mutate(body))}
    >
      <p className="text-sm text-soft">
        Enter the address of your account.{' '}
        {sends
          ? 'We mail you a link with which you choose a new password.'
          : 'This server keeps its mails in a folder and sends none. Ask whoever runs it for the link with which you choose a new password.'}
      </p>
      <EmailField autoFocus {...form.bindWithError('email')} />
      <Button type="submit" look="primary" disabled={forgot.isPending}>
        {forgot.isPending ? 'Sending...' : 'Send the Link'}
      </Button>
      <Button look="ghost" onClick={onBack}>
        Back to sign in
      </Button>
    </form>
  );
}

/** The form took the focus along when it went. */
function takeLostFocus(answer: HTMLElement | null) {
  if (document.activeElement === document.body) answer?.focus();
}
