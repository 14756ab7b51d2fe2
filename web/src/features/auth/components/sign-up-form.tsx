import { useMutation } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { checkSignUp, type FieldErrors, type SignUpForm as Form } from '@/features/auth/model';
import { authMutations } from '@/features/auth/mutations';
import { useSignedIn } from '@/features/auth/use-signed-in';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { isChanged } from '@/hooks/use-checked-form';
import { focusFirstInvalid } from '@/lib/focus';

type SignUpFormProps = { onSignedUp: () => void };

const EMPTY: Form = { firstName: '', lastName: '', email: '', password: '' };

export function SignUpForm({ onSignedUp }: SignUpFormProps) {
  const toast = useToast();
  const signedIn = useSignedIn(onSignedUp);
  const [form, setForm] = useState(EMPTY);
  const [checked, setChecked] = useState(false);
  useUnsavedWork(isChanged(form, EMPTY));

  const signUp = useMutation({
    ...authMutations.signUp(),
    onSuccess: signedIn,
    onError: (error) => {
      toast({
        title: 'Authentication failed',
        description: sentenceOf(error, 'Please check your credentials and try again.'),
        tone: 'bad',
      });
    },
  });

  const errors = { ...refusedField(signUp.error), ...(checked ? checkSignUp(form) : {}) };
  const bind = (name: keyof Form) => ({
    value: form[name],
    error: errors[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      setForm({ ...form, [name]: event.target.value });
    },
  });

  return (
    <form
      noValidate
      aria-label="Sign up"
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        flushSync(() => {
          setChecked(true);
        });
        if (Object.keys(checkSignUp(form)).length > 0) {
          focusFirstInvalid(event.currentTarget);
          return;
        }
        signUp.mutate({
          email: form.email.trim(),
          password: form.password,
          firstName: form.firstName.trim(),
          lastName: form.lastName.trim(),
        });
      }}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" autoComplete="given-name" required {...bind('firstName')} />
        <Field label="Last name" autoComplete="family-name" required {...bind('lastName')} />
      </div>
      <Field label="E-mail" type="email" autoComplete="email" required {...bind('email')} />
      <Field
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        hint="Password must be at least 6 characters"
        {...bind('password')}
      />
      <Button type="submit" look="primary" disabled={signUp.isPending}>
        {signUp.isPending ? 'Creating your account...' : 'Sign Up'}
      </Button>
    </form>
  );
}

/** Puts the server's refusal beside the field that it is about. */
function refusedField(error: unknown): FieldErrors<Form> {
  if (!(error instanceof ApiError)) return {};
  const field = error.code === 'conflict' ? 'email' : error.field;
  return field !== null && field in EMPTY ? { [field]: error.detail } : {};
}
