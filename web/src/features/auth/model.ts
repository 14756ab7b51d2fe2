import type { Schemas } from '@/api/client';

/** Specification 2, section 5. */
export const PASSWORD_MIN_LENGTH = 6;

/** The server does without names; people are greeted by theirs, so the form asks for them. */
export type SignUpForm = Required<Schemas['SignUp']>;
export type FieldErrors<Form> = Partial<Record<keyof Form, string>>;

// As loose as the browser's own rule: the server has the last word.
const MAILBOX = /^[^\s@]+@[^\s@]+$/;

export function checkCredentials(
  form: Schemas['Credentials'],
): FieldErrors<Schemas['Credentials']> {
  const errors: FieldErrors<Schemas['Credentials']> = {};
  if (!MAILBOX.test(form.email.trim())) errors.email = 'Enter your e-mail address.';
  if (form.password.length < PASSWORD_MIN_LENGTH) {
    errors.password = 'Password must be at least 6 characters';
  }
  return errors;
}

export function checkSignUp(form: SignUpForm): FieldErrors<SignUpForm> {
  const errors: FieldErrors<SignUpForm> = checkCredentials(form);
  if (form.firstName.trim() === '') errors.firstName = 'Enter your first name.';
  if (form.lastName.trim() === '') errors.lastName = 'Enter your last name.';
  return errors;
}

/** The initials in place of a profile image. */
export function initials(user: Pick<Schemas['User'], 'firstName' | 'lastName' | 'email'>): string {
  const letters = `${user.firstName.trim().charAt(0)}${user.lastName.trim().charAt(0)}`;
  return (letters || user.email.charAt(0)).toUpperCase();
}

const PLAN_NAMES: Record<Schemas['PlanType'], string> = {
  basic: 'Basic',
  pro: 'Pro',
  business: 'Business',
};

export function planName({ planType }: Pick<Schemas['User'], 'planType'>): string {
  return PLAN_NAMES[planType];
}
