import type { ComponentProps } from 'react';
import { Field } from '@/components/ui/field';

type Bound = Omit<ComponentProps<typeof Field>, 'label'>;

export function EmailField(props: Bound) {
  return <Field label="E-mail" type="email" autoComplete="email" required {...props} />;
}

/** A password that exists. */
export function PasswordField({ label = 'Password', ...props }: Bound & { label?: string }) {
  return (
    <Field label={label} type="password" autoComplete="current-password" required {...props} />
  );
}

/** A password that is being chosen. */
export function NewPasswordField({ label = 'Password', ...props }: Bound & { label?: string }) {
  return (
    <Field
      label={label}
      type="password"
      autoComplete="new-password"
      required
      hint="Password must be at least 6 characters"
      {...props}
    />
  );
}

type NameFieldsProps = { first: Bound; last: Bound };

export function NameFields({ first, last }: NameFieldsProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="First name" autoComplete="given-name" required {...first} />
      <Field label="Last name" autoComplete="family-name" required {...last} />
    </div>
  );
}
