import type { Schemas } from '@/api/client';

/** Specification 2, section 5. */
export const PASSWORD_MIN_LENGTH = 6;

/** The server does without names; people are greeted by theirs, so the form asks for them. */
export type SignUpForm = Required<Schemas['SignUp']>;
export type FieldErrors<Form> = Partial<Record<keyof Form, string>>;

const PASSWORD_TOO_SHORT = 'Password must be at least 6 characters';

// As loose as the browser's own rule: the server has the last word.
const MAILBOX = /^[^\s@]+@[^\s@]+$/;

export function checkCredentials(
  form: Schemas['Credentials'],
): FieldErrors<Schemas['Credentials']> {
  const errors: FieldErrors<Schemas['Credentials']> = {};
  if (!MAILBOX.test(form.email.trim())) errors.email = 'Enter your e-mail address.';
  if (form.password.length < PASSWORD_MIN_LENGTH) {
    errors.password = PASSWORD_TOO_SHORT;
  }
  return errors;
}

export function checkSignUp(form: SignUpForm): FieldErrors<SignUpForm> {
  const errors: FieldErrors<SignUpForm> = checkCredentials(form);
  if (form.firstName.trim() === '') errors.firstName = 'Enter your first name.';
  if (form.lastName.trim() === '') errors.lastName = 'Enter your last name.';
  return errors;
}

export function checkMailbox({ email }: { email: string }): { email?: string } {
  return MAILBOX.test(email.trim()) ? {} : { email: 'Enter your e-mail address.' };
}

/** A password chosen anew is typed twice: nobody sees what they type. */
export type NewPasswordForm = { password: string; repeated: string };

export function checkNewPassword(form: NewPasswordForm): FieldErrors<NewPasswordForm> {
  const errors: FieldErrors<NewPasswordForm> = {};
  if (form.password.length < PASSWORD_MIN_LENGTH) errors.password = PASSWORD_TOO_SHORT;
  if (form.repeated !== form.password) errors.repeated = 'The two passwords differ.';
  return errors;
}

export type ChangePasswordForm = {
  currentPassword: string;
  newPassword: string;
  repeated: string;
};

/** `hasPassword` is false for an account that has only ever used the sign-in provider. */
export function checkChangePassword(
  form: ChangePasswordForm,
  hasPassword: boolean,
): FieldErrors<ChangePasswordForm> {
  const errors: FieldErrors<ChangePasswordForm> = {};
  if (hasPassword && form.currentPassword === '') {
    errors.currentPassword = 'Enter your current password.';
  }
  if (form.newPassword.length < PASSWORD_MIN_LENGTH) errors.newPassword = PASSWORD_TOO_SHORT;
  if (form.repeated !== form.newPassword) errors.repeated = 'The two passwords differ.';
  return errors;
}

const NAME_MAX_LENGTH = 80;

export function checkNames(form: Schemas['Names']): FieldErrors<Schemas['Names']> {
  const errors: FieldErrors<Schemas['Names']> = {};
  for (const name of ['firstName', 'lastName'] as const) {
    if (form[name].trim().length > NAME_MAX_LENGTH) errors[name] = 'Use at most 80 characters.';
  }
  if (form.firstName.trim() === '') errors.firstName = 'Enter your first name.';
  if (form.lastName.trim() === '') errors.lastName = 'Enter your last name.';
  return errors;
}

export type DeletionForm = { confirmation: string; password: string };

/** Deleting takes the address of the account, typed out, so that no slip of a finger does it. */
export function checkDeletion(
  form: DeletionForm,
  user: Pick<Schemas['User'], 'email' | 'hasPassword'>,
): FieldErrors<DeletionForm> {
  const errors: FieldErrors<DeletionForm> = {};
  if (form.confirmation.trim().toLowerCase() !== user.email.toLowerCase()) {
    errors.confirmation = `Type ${user.email} to confirm.`;
  }
  if (user.hasPassword && form.password === '') errors.password = 'Enter your password.';
  return errors;
}

/** Why the sign-in provider signed nobody in, by the `reason` in the address. */
const SIGN_IN_FAILURES: Record<string, string> = {
  cancelled: 'The sign-in was cancelled. Try again, or use your e-mail address below.',
  'unknown-attempt':
    'The sign-in took too long or was begun in another browser. Please try once more.',
  'email-not-verified':
    'The provider has not confirmed your e-mail address. Confirm it there, then try again.',
  'provider-unavailable':
    'The sign-in provider does not answer now. Try again later, or use your e-mail address below.',
  'not-trusted':
    'The answer of the sign-in provider could not be trusted, so nobody was signed in. Please try again.',
  'not-set-up': 'Google sign-in is not set up on this server. Use your e-mail address below.',
  'too-many-attempts': 'Too many attempts. Please wait a few minutes and try again.',
};

export function signInFailure(reason: string | null): string {
  return (
    SIGN_IN_FAILURES[reason ?? ''] ??
    'Something went wrong on the way. Try again, or use your e-mail address below.'
  );
}

/** What a mailed link is for. */
type SecretName = 'reset-password' | 'verify-email' | 'invitation';

/** The secret of a mailed link, which stands behind `#` under `name`; null without one. */
export function secretOf(hash: string, name: SecretName): string | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get(name);
  return token === null || token === '' ? null : token;
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
