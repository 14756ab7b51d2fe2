import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { useToast } from '@/components/ui/use-toast';
import { VehicleFields } from '@/features/garage/vehicles/components/vehicle-fields';
import {
  EDIT_FIELDS_MISSING,
  formOfVehicle,
  vehicleDraftKey,
  vehicleSchema,
} from '@/features/garage/vehicles/model';
import { vehicleMutations } from '@/features/garage/vehicles/mutations';
import { useForm } from '@/hooks/use-form';
import { vehicleName } from '@/lib/format';

type EditVehicleDialogProps = {
  vehicle: Schemas['Vehicle'];
  /** Whether it was deleted while it was edited, as in another tab. */
  isGone: boolean;
  open: boolean;
  onClose: () => void;
  returnFocus: () => HTMLElement | null;
};

/** Mount it anew for each opening: the form takes what the vehicle says at that moment. */
export function EditVehicleDialog({
  vehicle,
  isGone,
  open,
  onClose,
  returnFocus,
}: EditVehicleDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: vehicleSchema(EDIT_FIELDS_MISSING),
    initial: formOfVehicle(vehicle),
    draftKey: vehicleDraftKey(vehicle),
    alert: true,
  });
  const update = useMutation({ mutationFn: vehicleMutations.update(vehicle.id) });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Edit Vehicle"
      description={isGone ? `${vehicleName(vehicle)} was deleted meanwhile.` : vehicleName(vehicle)}
      submitLabel="Save Changes"
      className="max-w-lg"
      returnFocus={returnFocus}
      form={form}
      save={update.mutateAsync}
      onSaved={(saved) =>
        toast({ title: 'Vehicle Updated', description: `${vehicleName(saved)} is saved.` })
      }
      fallback="Failed to update vehicle. Please try again."
    >
      <VehicleFields form={form} vehicleId={vehicle.id} />
    </FormDialog>
  );
}
