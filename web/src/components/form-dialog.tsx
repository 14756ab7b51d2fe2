import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { isSignedOut } from '@/api/api-error';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { useIsShown } from '@/hooks/use-is-shown';
import type { Form } from '@/hooks/use-form';
import { focusFirstField } from '@/lib/dialog-focus';

type FormDialogProps<Values extends FieldValues, Body, Saved> = Omit<
  ComponentProps<typeof Dialog>,
  'footer' | 'busy'
> & {
  onClose: () => void;
  title: string;
  submitLabel: string;
  form: Form<Values, Body>;
  save: (body: Body) => Promise<Saved>;
  onSaved: (saved: Saved) => void;
  /** What is said when the server gives no sentence of its own. */
  fallback: string;
  children: ReactNode;
};

/**
 * A dialog with a form: it closes on a save, and asks before anything but Cancel closes it on what was typed.
 * While it saves, nothing does.
 */
export function FormDialog<Values extends FieldValues, Body, Saved>({
  submitLabel,
  form,
  save,
  onSaved,
  fallback,
  children,
  ...dialog
}: FormDialogProps<Values, Body, Saved>) {
  const { title } = dialog;
  const formId = useId();
  const fail = useFailureToast();
  const [saving, setSaving] = useState(false);
  const isShown = useIsShown(dialog.open);
  /** A closed dialog may stay mounted: nothing in it is to hold the screen as unsaved. */
  const onClose = () => {
    form.reset();
    dialog.onClose();
  };
  const { close, question } = useGuardedClose(dialog.open && form.isChanged, onClose);

  const send = async (body: Body) => {
    if (saving) return;
    setSaving(true);
    try {
      const saved = await save(body);
      onSaved(saved);
      onClose();
    } catch (error) {
      const ended = isSignedOut(error);
      if (ended || isShown.current) form.refuse(error, fallback);
      // Whoever left meanwhile sees no form that could say it.
      if (ended || !isShown.current) fail(error, fallback);
    } finally {
      setSaving(false);
    }
  };

  return (
    <>
      <Dialog
        {...dialog}
        busy={saving}
        onOpenAutoFocus={focusFirstField}
        onClose={close}
        footer={
          <>
            <Button disabled={saving} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={formId} look="primary" disabled={saving}>
              {saving ? 'Saving...' : submitLabel}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          aria-label={title}
          className="grid grid-cols-2 gap-4"
          onSubmit={(event) => void form.submit(send)(event)}
        >
          <FormAlert refusal={form.refusal} className="col-span-2" />
          {children}
        </form>
      </Dialog>
      {question}
    </>
  );
}
