import { useMutation } from '@tanstack/react-query';
import { use, useEffect, useEffectEvent, useRef, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import type { Schemas } from '@/api/client';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { useToast, type ToastMessage } from '@/components/ui/use-toast';
import { OpenFormContext } from '@/features/garage/records/open-form';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import type { Form } from '@/hooks/use-form';

type Saved = { id: string; warnings: Schemas['Warning'][] };

type RecordFormProps<Values extends FieldValues, Body, Entry extends Saved> = {
  label: string;
  form: Form<Values, Body>;
  save: (body: Body) => Promise<Entry>;
  /** The name of the field that has the focus at first. */
  firstField: string;
  submitLabel: string;
  /** What is said of a record that was saved. */
  news: (saved: Entry) => ToastMessage;
  /** What is said of one that was not, where the server gives no sentence of its own. */
  failure: { title?: string; fallback: string };
  children: ReactNode;
};

/** The form of an entry in the history of a vehicle, which opens above the list. */
export function RecordForm<Values extends FieldValues, Body, Entry extends Saved>({
  label,
  form,
  save,
  firstField,
  submitLabel,
  news,
  failure: { title, fallback },
  children,
}: RecordFormProps<Values, Body, Entry>) {
  const toast = useToast();
  const fail = useFailureToast();
  // Also whoever has closed the form meanwhile is told.
  const saving = useMutation({
    mutationFn: save,
    onSuccess: (saved) => toast(news(saved)),
    onError: (error) => {
      form.refuse(error, fallback, title);
      fail(error, fallback, title);
    },
  });
  useLeaveGuard(form.isChanged);
  const { onClose, onSaved, onTyped } = use(OpenFormContext);
  const tell = useEffectEvent(onTyped);
  useEffect(() => {
    tell(form.isChanged);
    return () => tell(false);
  }, [form.isChanged]);
  const element = useRef<HTMLFormElement>(null);
  // The form opens somewhere else on the page than what opened it.
  useEffect(() => {
    element.current?.querySelector<HTMLInputElement>(`input[name="${firstField}"]`)?.focus();
  }, [firstField]);
  const submit = form.submit((body) => {
    // Not of a form that is closed by then: it would close the one that has taken its place.
    if (!saving.isPending) saving.mutate(body, { onSuccess: onSaved });
  });
  return (
    <form
      ref={element}
      noValidate
      aria-label={label}
      className="grid animate-rise grid-cols-2 gap-4 rounded-md border bg-canvas p-4"
      onSubmit={submit}
    >
      <FormAlert refusal={form.refusal} className="col-span-2" />
      {children}
      <div className="col-span-2 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={saving.isPending}>
          {saving.isPending ? 'Saving...' : submitLabel}
        </Button>
      </div>
    </form>
  );
}
