import { useMutation } from '@tanstack/react-query';
import { isSignedOut } from '@/api/api-error';
import { useToast } from '@/components/ui/use-toast';
import { VehicleDialog } from '@/features/vehicles/components/vehicle-dialog';
import {
  ADD_FIELDS_MISSING,
  emptyVehicleForm,
  VEHICLE_FIELDS,
  vehicleDraftKey,
} from '@/features/vehicles/model';
import { vehicleMutations } from '@/features/vehicles/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { refusalOf, useTextForm } from '@/hooks/use-text-form';
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
  const form = useTextForm(() => emptyVehicleForm(new Date()), vehicleDraftKey(null));
  const create = useMutation(vehicleMutations.create());
  return (
    <VehicleDialog
      open={open}
      onClose={onClose}
      title="Add Vehicle"
      description="Make, model and year are enough. The rest helps to find the exact part."
      submitLabel="Add Vehicle"
      missing={ADD_FIELDS_MISSING}
      form={form}
      saving={create.isPending}
      {...(returnFocus !== undefined && { returnFocus })}
      onSubmit={(body, refuse) => {
        create.mutate(body, {
          onSuccess: (vehicle) => {
            toast({ title: 'Vehicle Added', description: `${vehicleName(vehicle)} is saved.` });
            form.reset();
            onSaved?.();
            onClose();
          },
          onError: (error) => {
            if (isSignedOut(error)) {
              form.keepDraft();
              endSession();
            } else {
              refuse(refusalOf(error, VEHICLE_FIELDS, 'Failed to add vehicle. Please try again.'));
            }
          },
        });
      }}
    />
  );
}
