import { useId, useRef, useState, type ReactNode } from 'react';
import { isSignedOut } from '@/api/api-error';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useSessionEnd } from '@/hooks/use-session-end';
import { refusalOf, type Parsed, type useTextForm } from '@/hooks/use-text-form';

type FormDialogProps<Values extends object, Body, Saved> = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  submitLabel: string;
  form: ReturnType<typeof useTextForm<Values>>;
  parse: (values: Values) => Parsed<Body, keyof Values & string>;
  save: (body: Body) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  /** What is said when the server gives no sentence of its own. */
  fallback: string;
  children: ReactNode;
};

/** A dialog with a form: it closes on a save, and on anything else keeps what was typed. */
export function FormDialog<Values extends object, Body, Saved>({
  open,
  onClose,
  title,
  description,
  submitLabel,
  form,
  parse,
  save,
  onSaved,
  fallback,
  children,
}: FormDialogProps<Values, Body, Saved>) {
  const formId = useId();
  const element = useRef<HTMLFormElement>(null);
  const endSession = useSessionEnd();
  const [saving, setSaving] = useState(false);

  const submit = async () => {
    const parsed = parse(form.values);
    form.refuse(element.current, parsed.ok ? null : parsed.refusal);
    if (!parsed.ok || saving) return;
    setSaving(true);
    try {
      const saved = await save(parsed.body);
      onSaved(saved);
      onClose();
    } catch (error) {
      if (isSignedOut(error)) {
        form.keepDraft();
        endSession();
      } else {
        const names = Object.keys(form.values) as (keyof Values & string)[];
        form.refuse(element.current, refusalOf(error, names, fallback));
      }
    } finally {
      setSaving(false);
    }
  };

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={saving}>
            {saving ? 'Saving...' : submitLabel}
          </Button>
        </>
      }
    >
      <form
        ref={element}
        id={formId}
        noValidate
        aria-label={title}
        className="grid grid-cols-2 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <FormAlert refusal={form.refusal} className="col-span-2" />
        {children}
      </form>
    </Dialog>
  );
}
