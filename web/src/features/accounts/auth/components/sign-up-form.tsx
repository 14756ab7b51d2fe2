import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import {
  EmailField,
  NameFields,
  NewPasswordField,
} from '@/features/accounts/auth/components/account-fields';
import { signUpSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useSignedIn } from '@/features/accounts/auth/use-signed-in';
import { useForm } from '@/hooks/use-form';

type SignUpFormProps = {
  /** What was typed as the e-mail address in a form before this one. */
  email: string;
  onSignedUp: () => void;
};

export function SignUpForm({ email, onSignedUp }: SignUpFormProps) {
  // As it was when this form came: what is typed here is a change of it.
  const [initial] = useState({ firstName: '', lastName: '', email, password: '' });
  const toast = useToast();
  const signedIn = useSignedIn(onSignedUp);
  const form = useForm({ schema: signUpSchema, initial });
  const signUp = useMutation({
    mutationFn: authMutations.signUp,
    onSuccess: signedIn,
    onError: (error) => {
      if (error instanceof ApiError && error.code === 'conflict') {
        form.setError('email', { message: error.detail });
      } else form.refuse(error);
      toast(
        failureMessage(
          'Authentication failed',
          error,
          'Please check your credentials and try again.',
        ),
      );
    },
  });

  return (
    <form
      noValidate
      aria-label="Sign up"
      className="grid gap-4"
      onSubmit={form.submit((body) => signUp.mutate(body))}
    >
      <NameFields first={form.bindWithError('firstName')} last={form.bindWithError('lastName')} />
      <EmailField {...form.bindWithError('email')} />
      <NewPasswordField {...form.bindWithError('password')} />
      <Button type="submit" look="primary" disabled={signUp.isPending}>
        {signUp.isPending ? 'Creating your account...' : 'Sign Up'}
      </Button>
    </form>
  );
}
