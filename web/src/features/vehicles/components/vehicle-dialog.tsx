import { useId, useRef, type ReactNode } from 'react';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { VehicleFields } from '@/features/vehicles/components/vehicle-fields';
import { parseVehicleForm, type VehicleForm } from '@/features/vehicles/model';
import type { Schemas } from '@/api/client';
import type { Refusal, useTextForm } from '@/hooks/use-text-form';

type VehicleDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  submitLabel: string;
  /** What is said when make, model or year is missing. */
  missing: string;
  form: ReturnType<typeof useTextForm<VehicleForm>>;
  saving: boolean;
  onSubmit: (
    body: Schemas['NewVehicle'],
    refuse: (refusal: Refusal<keyof VehicleForm>) => void,
  ) => void;
  returnFocus?: () => HTMLElement | null;
};

/** The dialog in which a vehicle is added or edited. */
export function VehicleDialog({
  open,
  onClose,
  title,
  description,
  submitLabel,
  missing,
  form,
  saving,
  onSubmit,
  returnFocus,
}: VehicleDialogProps) {
  const formId = useId();
  const element = useRef<HTMLFormElement>(null);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={title}
      description={description}
      className="max-w-lg"
      {...(returnFocus !== undefined && { returnFocus })}
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
          if (saving) return;
          const parsed = parseVehicleForm(form.values, missing);
          form.refuse(event.currentTarget, parsed.ok ? null : parsed.refusal);
          if (!parsed.ok) return;
          onSubmit(parsed.body, (refusal) => {
            form.refuse(element.current, refusal);
          });
        }}
      >
        <FormAlert refusal={form.refusal} className="col-span-2" />
        <VehicleFields form={form} />
      </form>
    </Dialog>
  );
}
