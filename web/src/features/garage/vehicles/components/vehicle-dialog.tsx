import { useId, type ReactNode } from 'react';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { VehicleFields } from '@/features/garage/vehicles/components/vehicle-fields';
import type { VehicleForm } from '@/features/garage/vehicles/model';
import type { Schemas } from '@/api/client';
import type { Form } from '@/hooks/use-form';

type VehicleDialogProps = {
  open: boolean;
  onClose: () => void;
  title: string;
  description: ReactNode;
  submitLabel: string;
  form: Form<VehicleForm, Schemas['NewVehicle']>;
  saving: boolean;
  onSubmit: (body: Schemas['NewVehicle']) => void;
  returnFocus?: () => HTMLElement | null;
};

/** The dialog in which a vehicle is added or edited. */
export function VehicleDialog({
  open,
  onClose,
  title,
  description,
  submitLabel,
  form,
  saving,
  onSubmit,
  returnFocus,
}: VehicleDialogProps) {
  const formId = useId();
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
        id={formId}
        noValidate
        aria-label={title}
        className="grid grid-cols-2 gap-4"
        onSubmit={form.submit((body) => {
          if (!saving) onSubmit(body);
        })}
      >
        <FormAlert refusal={form.refusal} className="col-span-2" />
        <VehicleFields form={form} />
      </form>
    </Dialog>
  );
}
