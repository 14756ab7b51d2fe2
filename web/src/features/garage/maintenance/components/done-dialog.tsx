import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { CostField, DateField, MileageField, NotesField } from '@/components/record-fields';
import { useToast } from '@/components/ui/use-toast';
import { doneSchema, dueText, ENGINE_OIL } from '@/features/garage/maintenance/model';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { today } from '@/lib/dates';

type DoneDialogProps = {
  vehicleId: string;
  item: Schemas['MaintenanceItem'];
  open: boolean;
  onClose: () => void;
  returnFocus?: () => HTMLElement | null;
  onDone: (warnings: Schemas['Warning'][]) => void;
};

/** Logs that an item was done; the next one is reckoned from it. */
export function DoneDialog({ vehicleId, item, onDone, ...dialog }: DoneDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: doneSchema,
    initial: { mileage: '', date: today(), cost: '', notes: '' },
    draftKey: `draft.done.${vehicleId}.${item.item}`,
    alert: true,
  });
  const finish = useMutation({ mutationFn: useKeyedCall(maintenanceMutations.finish(vehicleId)) });
  const kind = item.item === ENGINE_OIL ? 'oil change' : 'repair';
  return (
    <FormDialog
      {...dialog}
      title={`Done: ${item.name}`}
      description={`It is kept as ${kind === 'repair' ? 'a' : 'an'} ${kind}.`}
      submitLabel="Save"
      form={form}
      save={(body) => finish.mutateAsync({ item: item.item, body })}
      onSaved={(saved) => {
        toast({ title: `${item.name} logged`, description: dueText(saved) ?? 'Saved.' });
        onDone(saved.warnings);
      }}
      fallback="It could not be logged. Please try again."
    >
      <MileageField {...form.bind('mileage')} />
      <DateField {...form.bind('date')} />
      <CostField className="col-span-2" {...form.bind('cost')} />
      <NotesField {...form.bind('notes')} />
    </FormDialog>
  );
}
