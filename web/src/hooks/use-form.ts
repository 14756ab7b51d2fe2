import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import {
  useForm as useHookForm,
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type PathValue,
  type Resolver,
} from 'react-hook-form';
import * as z from 'zod/mini';
import { ApiError, isSignedOut, sentenceOf } from '@/api/api-error';
import { userQuery } from '@/api/user';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useDraft } from '@/hooks/use-draft';
import { checkForm, type Refused } from '@/lib/form-schema';

/** Why a form was not taken, in one sentence above its fields. */
export type Refusal = { title?: string | undefined; message: string };

type FormOptions<Values extends FieldValues, Body> = {
  /** Makes what is typed into what is sent, or says which fields are wrong. */
  schema: z.core.$ZodType<Body, Values>;
  /** What the form begins with; a field that nobody changed follows it. */
  initial: Values;
  /**
   * Where this tab keeps what was typed when the session has ended, until the form is shown again after signing in.
   * A form with a password has none.
   */
  draftKey?: string;
  /** One sentence above the fields says what is wrong, in place of one beside each. */
  alert?: boolean;
};

export type Form<Values extends FieldValues, Body> = ReturnType<typeof useForm<Values, Body>>;

/** A form that is checked when it is sent, and from then on at each key. */
export function useForm<Values extends FieldValues, Body>({
  schema,
  initial,
  draftKey,
  alert = false,
}: FormOptions<Values, Body>) {
  const draft = useDraft(draftKey);
  const [drafted] = useState(() => draft.read());
  const form = useHookForm<Values, unknown, Body>({
    defaultValues: initial as DefaultValues<Values>,
    values: initial,
    resetOptions: FOLLOW,
    resolver: resolverOf(schema, alert),
  });
  const { control, register, getValues, setValue, setError, handleSubmit } = form;
  const { errors, dirtyFields, isSubmitted, isSubmitSuccessful } = form.formState;
  const isChanged = Object.keys(dirtyFields).length > 0;

  useUnsavedWork(isChanged);
  useEffect(() => {
    for (const [name, value] of Object.entries(drafted)) {
      setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, DIRTY);
    }
    draft.forget();
  }, [draft, drafted, setValue]);

  const keepDraft = () => draft.keep(changesOf(getValues(), initial));
  const queryClient = useQueryClient();
  const leave = useEffectEvent(() => {
    const { error = null } = queryClient.getQueryState(userQuery().queryKey) ?? {};
    // What was sent is kept where the server refused it.
    if (isChanged && !isSubmitSuccessful && isSignedOut(error)) keepDraft();
  });
  // A form that is half filled in cannot be sent before somebody goes to sign in again.
  useEffect(() => () => leave(), []);

  return {
    /** For `useWatch`, where what is typed changes what is shown. */
    control,
    isChanged,
    refusal: errors.root === undefined ? null : refusalOf(errors.root),
    setError,
    isInvalid: (name: Path<Values>) => name in errors,
    /** What a control takes of a form with an alert. */
    bind: (name: Path<Values>) => ({ ...register(name), 'aria-invalid': name in errors }),
    /** What a control takes that says what is wrong; `deps` is a field that is judged by this one. */
    bindWithError: (name: Path<Values>, deps: Path<Values>[] = []) => ({
      ...register(name, { deps }),
      error: messageOf(errors, name),
    }),
    set: (changes: Partial<Values>) => {
      for (const [name, value] of Object.entries(changes)) {
        setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, {
          ...DIRTY,
          shouldValidate: isSubmitted,
        });
      }
    },
    /**
     * What is sent of `saved` with only those fields replaced that were changed here: of two people who edit one
     * thing, neither takes back what the other saved.
     */
    changesOver: (saved: Values) =>
      z.parse(schema, { ...saved, ...changesOf(getValues(), initial) }),
    /** Calls `send` with a form that passed; else moves to the first field that did not. */
    submit: (send: (body: Body) => unknown, onInvalid?: (message: string) => void) =>
      handleSubmit(send, ({ root }) => onInvalid?.(root?.message ?? '')),
    /**
     * Shows why the server did not take the form, at the field that it named and in the alert. True where a field
     * shows it, so that nothing else has to. Where the session ended, what is typed is kept.
     */
    refuse: (error: unknown, fallback = '', title?: string): boolean => {
      if (isSignedOut(error)) {
        keepDraft();
        return false;
      }
      const message = sentenceOf(error, fallback);
      if (alert) setError('root', { message, ...(title !== undefined && { type: title }) });
      // Of one in a list, such as `fitments[1].make`, the form knows the list.
      const field = error instanceof ApiError ? error.field?.split('[')[0] : undefined;
      if (field === undefined || !(field in getValues())) return false;
      setError(field as Path<Values>, { message }, { shouldFocus: true });
      return true;
    },
    /** Takes the form to `values`, or to what it begins with. */
    reset: (values: Values = initial) => form.reset(values, ANEW),
  };
}

const DIRTY = { shouldDirty: true };
const FOLLOW = { keepDirtyValues: true, keepErrors: true, keepIsSubmitted: true };
const ANEW = { keepDirtyValues: false, keepErrors: false, keepIsSubmitted: false };

/** The check of a form; with `alert` only the first thing that is wrong, and the fields that it is about. */
function resolverOf<Values extends FieldValues, Body>(
  schema: z.core.$ZodType<Body, Values>,
  alert: boolean,
): Resolver<Values, unknown, Body> {
  return (values) => {
    const checked = checkForm(schema, values);
    if (checked.ok) return { values: checked.body, errors: {} };
    const errors = alert ? alertErrors(checked.refusal) : fieldErrors(schema, values);
    return { values: {}, errors: errors as FieldErrors<Values> };
  };
}

type Errors = Record<string, { type: string | undefined; message: string }>;

/** The title of a sentence stands where react-hook-form has the kind of an error. */
function alertErrors({ title, message, fields }: Refused): Errors {
  return Object.fromEntries(['root', ...fields].map((name) => [name, { type: title, message }]));
}

/** The first thing that is wrong with each field. */
function fieldErrors(schema: z.core.$ZodType, values: unknown): Errors {
  const issues = z.safeParse(schema, values).error?.issues ?? [];
  return Object.fromEntries(
    issues.toReversed().map(({ path, message }) => [String(path[0]), { type: undefined, message }]),
  );
}

function refusalOf({ type, message = '' }: { type?: unknown; message?: string }): Refusal {
  return { title: typeof type === 'string' ? type : undefined, message };
}

function messageOf(errors: object, name: string): string | undefined {
  return (errors as Record<string, { message?: string } | undefined>)[name]?.message;
}

/** The fields that say something else than the form begins with; a field may hold a list. */
function changesOf(values: object, initial: object): object {
  const before = new Map(Object.entries(initial));
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before.get(name));
  return Object.fromEntries(Object.entries(values).filter(isChanged));
}
