import { useMutation } from '@tanstack/react-query';
import { isSignedOut } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { useToast } from '@/components/ui/use-toast';
import { VehicleDialog } from '@/features/garage/vehicles/components/vehicle-dialog';
import {
  EDIT_FIELDS_MISSING,
  formOfVehicle,
  vehicleDraftKey,
  vehicleSchema,
} from '@/features/garage/vehicles/model';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { useForm } from '@/hooks/use-form';
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
  const form = useForm({
    schema: vehicleSchema(EDIT_FIELDS_MISSING),
    initial: formOfVehicle(vehicle),
    draftKey: vehicleDraftKey(vehicle),
    alert: true,
  });
  const update = useMutation({ mutationFn: vehicleMutations.update(vehicle.id) });
  return (
    <VehicleDialog
      open={open}
      onClose={onClose}
      title="Edit Vehicle"
      description={vehicleName(vehicle)}
      submitLabel="Save Changes"
      form={form}
      saving={update.isPending}
      onSubmit={(body) => {
        update.mutate(body, {
          onSuccess: (saved) => {
            toast({ title: 'Vehicle Updated', description: `${vehicleName(saved)} is saved.` });
            onClose();
          },
          onError: (error) => {
            form.refuse(error, 'Failed to update vehicle. Please try again.');
            if (isSignedOut(error)) endSession();
          },
        });
      }}
    />
  );
}
