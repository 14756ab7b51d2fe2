import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { EmailField, PasswordField } from '@/features/accounts/auth/components/account-fields';
import { credentialsSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useSignedIn } from '@/features/accounts/auth/use-signed-in';
import { useForm } from '@/hooks/use-form';

type SignInFormProps = {
  /** What was typed as the e-mail address in a form before this one. */
  email: string;
  onSignedIn: () => void;
};

export function SignInForm({ email, onSignedIn }: SignInFormProps) {
  // As it was when this form came: what is typed here is a change of it.
  const [initial] = useState({ email, password: '' });
  const toast = useToast();
  const signedIn = useSignedIn(onSignedIn);
  const form = useForm({ schema: credentialsSchema, initial });

  const signIn = useMutation({
    mutationFn: authMutations.signIn,
    onSuccess: signedIn,
    onError: (error) =>
      toast(
        failureMessage(
          'Authentication failed',
          error,
          'Please check your credentials and try again.',
        ),
      ),
  });

  return (
    <form
      noValidate
      aria-label="Sign in"
      className="grid gap-4"
      onSubmit={form.submit((body) => signIn.mutate(body))}
    >
      <EmailField {...form.bindWithError('email')} />
      <PasswordField {...form.bindWithError('password')} />
      <Button type="submit" look="primary" disabled={signIn.isPending}>
        {signIn.isPending ? 'Signing in...' : 'Sign In'}
      </Button>
    </form>
  );
}
