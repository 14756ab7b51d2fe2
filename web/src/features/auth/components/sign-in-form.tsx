import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { checkCredentials } from '@/features/auth/model';
import { authMutations } from '@/features/auth/mutations';
import { useSignedIn } from '@/features/auth/use-signed-in';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { focusFirstInvalid } from '@/lib/focus';

type SignInFormProps = { onSignedIn: () => void };

export function SignInForm({ onSignedIn }: SignInFormProps) {
  const toast = useToast();
  const signedIn = useSignedIn(onSignedIn);
  const [form, setForm] = useState({ email: '', password: '' });
  const [checked, setChecked] = useState(false);
  useUnsavedWork(form.email + form.password !== '');
  const errors = checked ? checkCredentials(form) : {};

  const signIn = useMutation({
    ...authMutations.signIn(),
    onSuccess: signedIn,
    onError: (error) => {
      toast({
        title: 'Authentication failed',
        description: sentenceOf(error, 'Please check your credentials and try again.'),
        tone: 'bad',
      });
    },
  });

  return (
    <form
      noValidate
      aria-label="Sign in"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        flushSync(() => {
          setChecked(true);
        });
        if (Object.keys(checkCredentials(form)).length > 0) {
          focusFirstInvalid(event.currentTarget);
          return;
        }
        signIn.mutate({ ...form, email: form.email.trim() });
      }}
    >
      <Field
        label="E-mail"
        type="email"
        autoComplete="email"
        required
        value={form.email}
        error={errors.email}
        onChange={(event) => {
          setForm({ ...form, email: event.target.value });
        }}
      />
      <Field
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        value={form.password}
        error={errors.password}
        onChange={(event) => {
          setForm({ ...form, password: event.target.value });
        }}
      />
      <Button type="submit" look="primary" disabled={signIn.isPending}>
        {signIn.isPending ? 'Signing in...' : 'Sign In'}
      </Button>
    </form>
  );
}
