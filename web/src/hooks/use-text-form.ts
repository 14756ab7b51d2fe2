import { useEffect, useState, type ChangeEvent } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, sentenceOf } from '@/api/api-error';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { isChanged } from '@/hooks/use-checked-form';
import { useDraft } from '@/hooks/use-draft';
import { focusFirstInvalid } from '@/lib/focus';

/** Why a form was not taken: the sentence, and the fields to look at again. */
export type Refusal<Name extends string> = { title?: string; message: string; fields: Name[] };

/** What typed text comes to: a request body, or the reason why it is none. */
export type Parsed<Body, Name extends string> =
  { ok: true; body: Body } | { ok: false; refusal: Refusal<Name> };

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The values of a form that a text control takes. */
type TextName<Values> = {
  [Name in keyof Values]: Values[Name] extends string ? Name : never;
}[keyof Values] &
  string;

/**
 * The state of a form: text fields, and other values that can be written as JSON.
 *
 * With a `draftKey`, `keepDraft` saves what is typed in the tab until the form is shown again:
 * somebody whose session ended in the middle finds it there after signing in.
 */
export function useTextForm<Values extends object>(initial: () => Values, draftKey?: string) {
  type Name = keyof Values & string;
  const [start, setStart] = useState(initial);
  const draft = useDraft(draftKey);
  const [values, setValues] = useState<Values>(() => ({ ...start, ...draft.read() }));
  const [refusal, setRefusal] = useState<Refusal<Name> | null>(null);

  useUnsavedWork(isChanged(values, start));

  useEffect(() => {
    draft.forget();
  }, [draft]);

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
      const next = initial();
      setStart(next);
      setValues(next);
      setRefusal(null);
    },
    bind: (name: TextName<Values>) => ({
      name,
      value: values[name] as string,
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
      draft.keep(values);
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
