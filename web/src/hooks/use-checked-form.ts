import { useEffect, useState, type ChangeEvent, type SyntheticEvent } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, isSignedOut } from '@/api/api-error';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { forgetDraft, keepDraft, readDraft } from '@/lib/drafts';
import { focusFirstInvalid } from '@/lib/focus';

export type FormErrors<Form> = Partial<Record<keyof Form, string>>;

type Checks<Form> = {
  /** The errors of what was typed; empty when the form may be sent. */
  check: (form: Form) => FormErrors<Form>;
  /** Why the server refused the last attempt; a named field carries the reason. */
  refusal?: unknown;
  /**
   * Where this tab keeps what was typed when the session has ended, until the form is shown again after signing in.
   * A form with a password has none.
   */
  draftKey?: string;
};

type Change = ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>;

/**
 * A form of text fields that is checked when it is sent, and from then on at each key.
 *
 * Nothing typed is lost by a refusal: only `reset` empties the form.
 */
export function useCheckedForm<Form extends Record<string, string>>(
  initial: Form,
  { check, refusal, draftKey }: Checks<Form>,
) {
  const [form, setForm] = useState<Form>(() => ({ ...initial, ...readDraft(draftKey) }));
  const [checked, setChecked] = useState(false);
  useUnsavedWork(isChanged(form, initial));
  useEffect(() => {
    forgetDraft(draftKey);
  }, [draftKey]);
  const signedOut = isSignedOut(refusal);
  useEffect(() => {
    if (signedOut) keepDraft(draftKey, form);
  }, [signedOut, draftKey, form]);
  const errors: FormErrors<Form> = {
    ...refusedField(refusal, initial),
    ...(checked ? check(form) : {}),
  };
  return {
    form,
    errors,
    /** What a control of this field takes. */
    bind: (name: keyof Form & string) => ({
      value: form[name],
      error: errors[name],
      onChange: (event: Change) => {
        setForm({ ...form, [name]: event.target.value });
      },
    }),
    /** Calls `send` with a form that passed; else moves to the first field that did not. */
    submit: (send: (form: Form) => void) => (event: SyntheticEvent<HTMLFormElement>) => {
      event.preventDefault();
      flushSync(() => {
        setChecked(true);
      });
      if (Object.keys(check(form)).length > 0) {
        focusFirstInvalid(event.currentTarget);
        return;
      }
      send(form);
    },
    /** Takes the form to what it began with, or to what was saved of it. */
    reset: (next: Form = initial) => {
      setForm(next);
      setChecked(false);
    },
  };
}

/** True when the form shows the refusal beside a field, so that nothing else has to say it. */
export function isFieldRefusal(error: unknown, form: object): boolean {
  return error instanceof ApiError && error.field !== null && error.field in form;
}

/** Whether any field says something else than the form began with. */
export function isChanged(form: object, initial: object): boolean {
  // As a draft is kept: a form may hold lists.
  return JSON.stringify(form) !== JSON.stringify(initial);
}

function refusedField<Form extends Record<string, string>>(
  error: unknown,
  form: Form,
): FormErrors<Form> {
  if (!(error instanceof ApiError) || error.field === null || !(error.field in form)) return {};
  const errors: FormErrors<Form> = {};
  errors[error.field as keyof Form] = error.detail;
  return errors;
}
