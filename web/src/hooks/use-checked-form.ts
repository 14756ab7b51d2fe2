import { useEffect, useState, type ChangeEvent, type SyntheticEvent } from 'react';
import { flushSync } from 'react-dom';
import { ApiError, isSignedOut } from '@/api/api-error';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useDraft } from '@/hooks/use-draft';
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
 * Nothing typed is lost by a refusal: only `reset` empties the form. A field that nobody changed follows `initial`.
 */
export function useCheckedForm<Form extends Record<string, string>>(
  initial: Form,
  { check, refusal, draftKey }: Checks<Form>,
) {
  const draft = useDraft(draftKey);
  const [edits, setEdits] = useState(() => draft.read() as Partial<Form>);
  const [checked, setChecked] = useState(false);
  // A refusal that was here before the form is about what it held at another time.
  const [mended, setMended] = useState(refusal);
  const form: Form = { ...initial, ...edits };
  useUnsavedWork(isChanged(form, initial));
  useEffect(() => {
    draft.forget();
  }, [draft]);
  const signedOut = isSignedOut(refusal);
  useEffect(() => {
    if (signedOut) draft.keep(edits);
  }, [signedOut, draft, edits]);
  const refused = refusal === mended ? {} : refusedField(refusal, initial);
  const errors: FormErrors<Form> = { ...refused, ...(checked ? check(form) : {}) };
  return {
    form,
    errors,
    /** What a control of this field takes. */
    bind: (name: keyof Form & string) => ({
      value: form[name],
      error: errors[name],
      onChange: (event: Change) => {
        const { value } = event.target;
        setEdits(editsOf({ ...form, [name]: value }, initial));
        if (isFieldRefusal(refusal, { [name]: value })) setMended(refusal);
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
    /** Takes the form to what it begins with. */
    reset: () => {
      setEdits({});
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

/** The fields that say something else than the form began with. */
function editsOf<Form extends Record<string, string>>(form: Form, initial: Form): Partial<Form> {
  const edits = Object.entries(form).filter(([name, value]) => value !== initial[name]);
  return Object.fromEntries(edits) as Partial<Form>;
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
