import { useMutation } from '@tanstack/react-query';
import { isSignedOut } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { useToast } from '@/components/ui/use-toast';
import { VehicleDialog } from '@/features/vehicles/components/vehicle-dialog';
import {
  EDIT_FIELDS_MISSING,
  formOfVehicle,
  VEHICLE_FIELDS,
  vehicleDraftKey,
} from '@/features/vehicles/model';
import { vehicleMutations } from '@/features/vehicles/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { refusalOf, useTextForm } from '@/hooks/use-text-form';
import { vehicleName } from '@/lib/format';

type EditVehicleDialogProps = {
  vehicle: Schemas['Vehicle'];
  open: boolean;
  onClose: () => void;
};

/** Mount it anew for each opening: the form takes what the vehicle says at that moment. */
export function EditVehicleDialog({ vehicle, open, onClose }: EditVehicleDialogProps) {
  const toast = useToast();
  const endSession = useSessionEnd();
  const form = useTextForm(() => formOfVehicle(vehicle), vehicleDraftKey(vehicle));
  const update = useMutation(vehicleMutations.update(vehicle.id));
  return (
    <VehicleDialog
      open={open}
      onClose={onClose}
      title="Edit Vehicle"
      description={vehicleName(vehicle)}
      submitLabel="Save Changes"
      missing={EDIT_FIELDS_MISSING}
      form={form}
      saving={update.isPending}
      onSubmit={(body, refuse) => {
        update.mutate(body, {
          onSuccess: (saved) => {
            toast({ title: 'Vehicle Updated', description: `${vehicleName(saved)} is saved.` });
            onClose();
          },
          onError: (error) => {
            if (isSignedOut(error)) {
              form.keepDraft();
              endSession();
            } else {
              refuse(
                refusalOf(error, VEHICLE_FIELDS, 'Failed to update vehicle. Please try again.'),
              );
            }
          },
        });
      }}
    />
  );
}
