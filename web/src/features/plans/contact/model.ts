import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { optionalText, text } from '@/lib/form-schema';

/** What is required (specification 2, section 5). */
export const contactSchema = z.object({
  name: text('Enter your name.'),
  email: text('Enter your e-mail address.'),
  subject: optionalText,
  message: text('Write your message.'),
  /** Nobody sees this field; programs that fill in every field give themselves away. */
  website: z.string(),
}) satisfies z.ZodMiniType<Omit<Schemas['ContactMessage'], 'elapsedMs'>>;
