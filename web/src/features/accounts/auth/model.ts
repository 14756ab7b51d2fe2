import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { mailbox, rule, text, textThat } from '@/lib/form-schema';
import { firstLetter } from '@/lib/initials';

/** Specification 2, section 5. */
const PASSWORD_MIN_LENGTH = 6;
const NAME_MAX_LENGTH = 80;

const newPassword = z
  .string()
  .check(z.minLength(PASSWORD_MIN_LENGTH, 'Password must be at least 6 characters'));

const email = mailbox('Enter your e-mail address.');

const name = (missing: string) =>
  z.pipe(
    z
      .string()
      .check(
        z.refine((typed) => typed.trim().length <= NAME_MAX_LENGTH, 'Use at most 80 characters.'),
      ),
    text(missing),
  );

export const credentialsSchema = z.object({
  email,
  password: newPassword,
}) satisfies z.ZodMiniType<Schemas['Credentials'], Schemas['Credentials']>;

export const namesSchema = z.object({
  firstName: name('Enter your first name.'),
  lastName: name('Enter your last name.'),
}) satisfies z.ZodMiniType<Schemas['Names'], Schemas['Names']>;

/** The server does without names; people are greeted by theirs, so the form asks for them. */
export const signUpSchema = z.object({
  ...namesSchema.shape,
  email,
  password: newPassword,
}) satisfies z.ZodMiniType<Schemas['SignUp'], Required<Schemas['SignUp']>>;

export const mailboxSchema = z.object({ email }) satisfies z.ZodMiniType<
  Schemas['ForgotPassword'],
  Schemas['ForgotPassword']
>;

/** A password chosen anew is typed twice: nobody sees what they type. */
const SAME = { error: 'The two passwords differ.', path: ['repeated'], when: () => true };

export const resetPasswordSchema = z
  .object({ password: newPassword, repeated: z.string(), endKeys: z.boolean() })
  .check(z.refine(({ password, repeated }) => password === repeated, SAME)) satisfies z.ZodMiniType<
  Omit<Schemas['ResetPassword'], 'token'>
>;

/** `hasPassword` is false for an account that has only ever used the sign-in provider. */
export const changePasswordSchema = (hasPassword: boolean) =>
  z.pipe(
    z
      .object({
        currentPassword: z
          .string()
          .check(z.refine((typed) => !hasPassword || typed !== '', 'Enter your current password.')),
        newPassword,
        repeated: z.string(),
        endKeys: z.boolean(),
      })
      .check(z.refine((typed) => typed.newPassword === typed.repeated, SAME)),
    z.transform(({ currentPassword, newPassword, endKeys }) => ({
      currentPassword: hasPassword ? currentPassword : null,
      newPassword,
      endKeys,
    })),
  ) satisfies z.ZodMiniType<Schemas['ChangePassword']>;

/** Deleting takes the address of the account, typed out, so that no slip of a finger does it. */
export const deletionSchema = ({
  email,
  hasPassword,
}: Pick<Schemas['User'], 'email' | 'hasPassword'>) =>
  z.pipe(
    z.object({
      confirmation: textThat(
        rule(
          (typed) => typed.trim().toLowerCase() === email.toLowerCase(),
          `Type ${email} to confirm.`,
        ),
      ),
      password: z
        .string()
        .check(z.refine((typed) => !hasPassword || typed !== '', 'Enter your password.')),
    }),
    z.transform(({ password }) => ({ password: hasPassword ? password : null })),
  ) satisfies z.ZodMiniType<Schemas['Confirmation']>;

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
  const letters = `${firstLetter(user.firstName)}${firstLetter(user.lastName)}`;
  return (letters || firstLetter(user.email)).toUpperCase();
}

const PLAN_NAMES: Record<Schemas['PlanType'], string> = {
  basic: 'Basic',
  pro: 'Pro',
  business: 'Business',
};

export function planName({ planType }: Pick<Schemas['User'], 'planType'>): string {
  return PLAN_NAMES[planType];
}
