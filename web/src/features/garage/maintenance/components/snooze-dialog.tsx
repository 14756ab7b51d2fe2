import { useMutation } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { latestSnooze, SNOOZES, snoozeSchema } from '@/features/garage/maintenance/model';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { useForm } from '@/hooks/use-form';
import { addDays, formatDay, today } from '@/lib/dates';

type SnoozeDialogProps = {
  vehicleId: string;
  item: Schemas['MaintenanceItem'];
  open: boolean;
  onClose: () => void;
  returnFocus?: () => HTMLElement | null;
};

/** Puts an item off: no alert before the chosen day. */
export function SnoozeDialog({ vehicleId, item, ...dialog }: SnoozeDialogProps) {
  const toast = useToast();
  const day = today();
  const form = useForm({
    schema: snoozeSchema(day),
    initial: { until: addDays(day, SNOOZES[0].days) },
    draftKey: `draft.snooze.${vehicleId}.${item.item}`,
    alert: true,
  });
  const until = useWatch({ control: form.control, name: 'until' });
  const snooze = useMutation({ mutationFn: maintenanceMutations.snooze(vehicleId) });
  return (
    <FormDialog
      {...dialog}
      title={`Snooze ${item.name}`}
      description="It stays due, but gives no alert before this day."
      submitLabel="Snooze"
      form={form}
      save={(body) => snooze.mutateAsync({ item: item.item, ...body })}
      onSaved={() => {
        toast({
          title: 'Snoozed',
          description: `${item.name} is quiet until ${formatDay(until)}.`,
        });
      }}
      fallback="It could not be snoozed. Please try again."
    >
      <div role="group" aria-label="Put off by" className="col-span-2 flex flex-wrap gap-2">
        {SNOOZES.map(({ label, days }) => (
          <Button
            key={label}
            size="small"
            aria-pressed={until === addDays(day, days)}
            onClick={() => form.set({ until: addDays(day, days) })}
            className="aria-pressed:border-accent aria-pressed:text-accent"
          >
            {label}
          </Button>
        ))}
      </div>
      <Field
        label="Until"
        type="date"
        min={addDays(day, 1)}
        max={latestSnooze(day)}
        required
        className="col-span-2"
        {...form.bind('until')}
      />
    </FormDialog>
  );
}
