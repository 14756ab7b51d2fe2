import * as z from 'zod/mini';
import { givenAmount, givenText, parseWholeNumber } from '@/lib/numbers';

/** What fields of text come to, and how a form is checked as a whole. */

// The content policy forbids code made from text, which would only be tried and reported.
z.config({ jitless: true });

/** A check that ends those of its field. A `title`, where there is one, stands above the sentence. */
export function rule(test: (typed: string) => boolean, error: string, title?: string) {
  return z.refine<string>(test, { error, params: { title }, abort: true });
}

/** Text that is not blank. */
export const text = (error: string, title?: string) => textThat(rule(isFilled, error, title));

export const textThat = (...rules: z.core.$ZodCheck<string>[]) =>
  z.pipe(
    z.string().check(...rules),
    z.transform((typed) => typed.trim()),
  );

/** An e-mail address. As loose as the browser's own rule: the server has the last word. */
export const mailbox = (missing: string) =>
  textThat(
    rule(isFilled, missing),
    rule(
      (typed) => /^[^\s@]+@[^\s@]+$/.test(typed.trim()),
      'This is not an e-mail address. It should look like name@example.com.',
    ),
  );

/** Null where nothing is typed. */
export const optionalText = z.pipe(z.string(), z.transform(givenText));

/** An amount of money as the server reads it; null where nothing is typed. */
export const optionalAmount = z.pipe(z.string(), z.transform(givenAmount));

/** A whole number as people type it; the rules see to it that there is one. */
export const wholeNumber = (...rules: z.core.$ZodCheck<string>[]) =>
  z.pipe(
    z.string().check(...rules),
    z.transform((typed) => Number(parseWholeNumber(typed))),
  );

/** Null where nothing is typed. */
export const optionalWholeNumber = (error: string) =>
  z.pipe(
    z.string().check(rule((typed) => !isFilled(typed) || isWholeNumber(typed), error)),
    z.transform(parseWholeNumber),
  );

export function isFilled(typed: string): boolean {
  return typed.trim() !== '';
}

export function isWholeNumber(typed: string): boolean {
  return parseWholeNumber(typed) !== null;
}

/** Why a form is not taken: the first thing that is wrong, and the fields that it is about. */
export type Refused = { title?: string | undefined; message: string; fields: string[] };

/** What is typed as it is sent, or why it is not. */
export function checkForm<Body>(
  schema: z.core.$ZodType<Body>,
  values: unknown,
): { ok: true; body: Body } | { ok: false; refusal: Refused } {
  const parsed = z.safeParse(schema, values);
  if (parsed.success) return { ok: true, body: parsed.data };
  const { issues } = parsed.error;
  const [first] = issues;
  const message = first?.message ?? '';
  const title: unknown = first?.code === 'custom' ? first.params?.title : undefined;
  const same = issues.filter((issue) => issue.message === message);
  const fields = same.map(({ path }) => String(path[0]));
  return {
    ok: false,
    refusal: { message, fields, ...(typeof title === 'string' && { title }) },
  };
}
