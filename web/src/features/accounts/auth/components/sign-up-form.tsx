import { useMutation } from '@tanstack/react-query';
import { ApiError } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { failureMessage } from '@/hooks/use-failure-toast';
import { signUpSchema } from '@/features/accounts/auth/model';
import { authMutations } from '@/features/accounts/auth/mutations';
import { useSignedIn } from '@/features/accounts/auth/use-signed-in';
import { useForm } from '@/hooks/use-form';

type SignUpFormProps = { onSignedUp: () => void };

const EMPTY = { firstName: '', lastName: '', email: '', password: '' };

export function SignUpForm({ onSignedUp }: SignUpFormProps) {
  const toast = useToast();
  const signedIn = useSignedIn(onSignedUp);
  const form = useForm({ schema: signUpSchema, initial: EMPTY });
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
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="First name"
          autoComplete="given-name"
          required
          {...form.bindWithError('firstName')}
        />
        <Field
          label="Last name"
          autoComplete="family-name"
          required
          {...form.bindWithError('lastName')}
        />
      </div>
      <Field
        label="E-mail"
        type="email"
        autoComplete="email"
        required
        {...form.bindWithError('email')}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        hint="Password must be at least 6 characters"
        {...form.bindWithError('password')}
      />
      <Button type="submit" look="primary" disabled={signUp.isPending}>
        {signUp.isPending ? 'Creating your account...' : 'Sign Up'}
      </Button>
    </form>
  );
}
