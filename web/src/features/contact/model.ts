import type { FormErrors } from '@/hooks/use-checked-form';

export type ContactDraft = { name: string; email: string; subject: string; message: string };

/** What is required and missing (specification 2, section 5). */
export function missingFields(form: ContactDraft): FormErrors<ContactDraft> {
  const errors: FormErrors<ContactDraft> = {};
  if (form.name.trim() === '') errors.name = 'Enter your name.';
  if (form.email.trim() === '') errors.email = 'Enter your e-mail address.';
  if (form.message.trim() === '') errors.message = 'Write your message.';
  return errors;
}
