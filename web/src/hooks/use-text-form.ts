import { useEffect, useState, type ChangeEvent } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, sentenceOf } from '@/api/api-error';
import { focusFirstInvalid } from '@/lib/focus';
import { readSession, writeSession } from '@/lib/session-storage';

/** Why a form was not taken: the sentence, and the fields to look at again. */
export type Refusal<Name extends string> = { title?: string; message: string; fields: Name[] };

/** What typed text comes to: a request body, or the reason why it is none. */
export type Parsed<Body, Name extends string> =
  { ok: true; body: Body } | { ok: false; refusal: Refusal<Name> };

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * The state of a form of text fields.
 *
 * With a `draftKey`, `keepDraft` saves what is typed in the tab until the form is shown again:
 * somebody whose session ended in the middle finds it there after signing in.
 */
export function useTextForm<Values extends Record<string, string>>(
  initial: () => Values,
  draftKey?: string,
) {
  type Name = keyof Values & string;
  const [values, setValues] = useState<Values>(() => ({ ...initial(), ...draftOf(draftKey) }));
  const [refusal, setRefusal] = useState<Refusal<Name> | null>(null);

  // Shown once, it is in the form; the form alone says what becomes of it.
  useEffect(() => {
    if (draftKey !== undefined) sessionStorage.removeItem(draftKey);
  }, [draftKey]);

  const set = (changes: Partial<Values>) => {
    setValues((current) => ({ ...current, ...changes }));
    setRefusal((current) =>
      current === null
        ? null
        : { ...current, fields: current.fields.filter((field) => !(field in changes)) },
    );
  };

  return {
    values,
    refusal,
    set,
    reset: () => {
      setValues(initial());
      setRefusal(null);
    },
    bind: (name: Name) => ({
      name,
      value: values[name],
      'aria-invalid': refusal?.fields.includes(name) ?? false,
      onChange: (event: ChangeEvent<Control>) => {
        set({ [name]: event.target.value } as Partial<Values>);
      },
    }),
    /** Shows why `form` was not taken, and moves to the first field to mend. */
    refuse: (form: HTMLFormElement | null, next: Refusal<Name> | null) => {
      flushSync(() => {
        setRefusal(next);
      });
      if (next !== null && form !== null) focusFirstInvalid(form);
    },
    keepDraft: () => {
      if (draftKey !== undefined) writeSession(draftKey, values);
    },
  };
}

/** The refusal that an answer of the server is, with the field that it names if it is one of ours. */
export function refusalOf<Name extends string>(
  error: unknown,
  names: readonly Name[],
  fallback: string,
): Refusal<Name> {
  const field = error instanceof ApiError ? names.find((name) => name === error.field) : undefined;
  return { message: sentenceOf(error, fallback), fields: field === undefined ? [] : [field] };
}

function draftOf(draftKey: string | undefined): object {
  const kept = draftKey === undefined ? null : readSession(draftKey);
  return typeof kept === 'object' && kept !== null ? kept : {};
}
