import { useMutation } from '@tanstack/react-query';
import { isSignedOut } from '@/api/api-error';
import { useToast } from '@/components/ui/use-toast';
import { VehicleDialog } from '@/features/garage/vehicles/components/vehicle-dialog';
import {
  ADD_FIELDS_MISSING,
  emptyVehicleForm,
  vehicleDraftKey,
  vehicleSchema,
} from '@/features/garage/vehicles/model';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { useForm } from '@/hooks/use-form';
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
  const endSession = useSessionEnd();
  const form = useForm({
    schema: vehicleSchema(ADD_FIELDS_MISSING),
    initial: emptyVehicleForm(new Date()),
    draftKey: vehicleDraftKey(null),
    alert: true,
  });
  const create = useMutation({ mutationFn: vehicleMutations.create });
  return (
    <VehicleDialog
      open={open}
      onClose={onClose}
      title="Add Vehicle"
      description="Make, model and year are enough. The rest helps to find the exact part."
      submitLabel="Add Vehicle"
      form={form}
      saving={create.isPending}
      {...(returnFocus !== undefined && { returnFocus })}
      onSubmit={(body) => {
        create.mutate(body, {
          onSuccess: (vehicle) => {
            toast({ title: 'Vehicle Added', description: `${vehicleName(vehicle)} is saved.` });
            form.reset();
            onSaved?.();
            onClose();
          },
          onError: (error) => {
            form.refuse(error, 'Failed to add vehicle. Please try again.');
            if (isSignedOut(error)) endSession();
          },
        });
      }}
    />
  );
}
