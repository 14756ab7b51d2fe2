import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { DateField, MileageField } from '@/components/record-fields';
import { useToast } from '@/components/ui/use-toast';
import { odometerDraftKey, readingSchema } from '@/features/garage/maintenance/model';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { formatDay, today } from '@/lib/dates';
import { formatMiles } from '@/lib/format';

type OdometerDialogProps = {
  plan: Pick<Schemas['MaintenancePlan'], 'vehicleId' | 'vehicleName'>;
  open: boolean;
  onClose: () => void;
  returnFocus?: () => HTMLElement | null;
  onSaved: (saved: Schemas['SavedReading']) => void;
};

/** Mount it at the first opening: what a session that ended left in the form is taken out then. */
export function OdometerDialog({ plan, onSaved, ...dialog }: OdometerDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: readingSchema,
    initial: { mileage: '', date: today() },
    draftKey: odometerDraftKey(plan.vehicleId),
    alert: true,
  });
  const save = useMutation({
    mutationFn: useKeyedCall(maintenanceMutations.addReading(plan.vehicleId)),
  });
  return (
    <FormDialog
      {...dialog}
      title="Update Mileage"
      description={`What the odometer of the ${plan.vehicleName} shows.`}
      submitLabel="Save Mileage"
      form={form}
      save={save.mutateAsync}
      fallback="The mileage could not be saved. Please try again."
      onSaved={(saved) => {
        toast({
          title: 'Mileage saved',
          description: `${formatMiles(saved.mileage)} on ${formatDay(saved.date)}`,
        });
        onSaved(saved);
      }}
    >
      <MileageField {...form.bind('mileage')} />
      <DateField {...form.bind('date')} />
    </FormDialog>
  );
}
