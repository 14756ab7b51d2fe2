import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { latestSnooze, parseSnooze, SNOOZES } from '@/features/maintenance/model';
import { maintenanceMutations } from '@/features/maintenance/mutations';
import { useTextForm } from '@/hooks/use-text-form';
import { addDays, formatDay, today } from '@/lib/dates';

type SnoozeDialogProps = {
  vehicleId: string;
  item: Schemas['MaintenanceItem'];
  open: boolean;
  onClose: () => void;
};

/** Puts an item off: no alert before the chosen day. */
export function SnoozeDialog({ vehicleId, item, open, onClose }: SnoozeDialogProps) {
  const toast = useToast();
  const day = today();
  const form = useTextForm(
    () => ({ until: addDays(day, SNOOZES[0].days) }),
    `draft.snooze.${vehicleId}.${item.item}`,
  );
  const snooze = useMutation(maintenanceMutations.snooze(vehicleId));
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={`Snooze ${item.name}`}
      description="It stays due, but gives no alert before this day."
      submitLabel="Snooze"
      form={form}
      parse={(values) => parseSnooze(values, day)}
      save={(until) => snooze.mutateAsync({ item: item.item, until })}
      onSaved={() => {
        toast({
          title: 'Snoozed',
          description: `${item.name} is quiet until ${formatDay(form.values.until)}.`,
        });
      }}
      fallback="It could not be snoozed. Please try again."
    >
      <div role="group" aria-label="Put off by" className="col-span-2 flex flex-wrap gap-2">
        {SNOOZES.map(({ label, days }) => (
          <Button
            key={label}
            size="small"
            aria-pressed={form.values.until === addDays(day, days)}
            onClick={() => {
              form.set({ until: addDays(day, days) });
            }}
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
