import { useMutation } from '@tanstack/react-query';
import { FormDialog } from '@/components/form-dialog';
import { useToast } from '@/components/ui/use-toast';
import { VehicleFields } from '@/features/garage/vehicles/components/vehicle-fields';
import {
  ADD_FIELDS_MISSING,
  emptyVehicleForm,
  vehicleDraftKey,
  vehicleSchema,
} from '@/features/garage/vehicles/model';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { vehicleName } from '@/lib/format';

type AddVehicleDialogProps = {
  open: boolean;
  onClose: () => void;
  /** Called before the dialog closes on a vehicle that was saved. */
  onSaved?: () => void;
  returnFocus?: () => HTMLElement | null;
};

/** Mount it at the first opening: what a session that ended left in the form is taken out then. */
export function AddVehicleDialog({ open, onClose, onSaved, returnFocus }: AddVehicleDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: vehicleSchema(ADD_FIELDS_MISSING),
    initial: emptyVehicleForm(new Date()),
    draftKey: vehicleDraftKey(null),
    alert: true,
  });
  const create = useMutation({ mutationFn: useKeyedCall(vehicleMutations.create) });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Add Vehicle"
      description="Make, model and year are enough. The rest helps to find the exact part."
      submitLabel="Add Vehicle"
      className="max-w-lg"
      {...(returnFocus !== undefined && { returnFocus })}
      form={form}
      save={create.mutateAsync}
      onSaved={(vehicle) => {
        toast({ title: 'Vehicle Added', description: `${vehicleName(vehicle)} is saved.` });
        onSaved?.();
      }}
      fallback="Failed to add vehicle. Please try again."
    >
      <VehicleFields form={form} vehicleId={null} />
    </FormDialog>
  );
}
