import { useMutation } from '@tanstack/react-query';
import { Gauge } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { SavedWarnings } from '@/components/saved-warnings';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { parseReading } from '@/features/maintenance/model';
import { maintenanceMutations } from '@/features/maintenance/mutations';
import { useTextForm } from '@/hooks/use-text-form';
import { formatDay, today } from '@/lib/dates';
import { formatMiles } from '@/lib/format';

type OdometerLineProps = { plan: Schemas['MaintenancePlan'] };

/** Where the odometer stands and how fast it moves, and the way to tell it anew. */
export function OdometerLine({ plan }: OdometerLineProps) {
  const [open, setOpen] = useState(false);
  const [warnings, setWarnings] = useState<Schemas['Warning'][]>([]);
  const toast = useToast();
  const form = useTextForm(
    () => ({ mileage: '', date: today() }),
    `draft.odometer.${plan.vehicleId}`,
  );
  const save = useMutation(maintenanceMutations.addReading(plan.vehicleId));
  const { odometer } = plan;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md bg-raised px-3 py-2.5">
        <Gauge className="size-5 shrink-0 text-accent" aria-hidden />
        <p className="min-w-0 flex-1 basis-44 text-sm text-soft">
          {odometer === null ? (
            'No mileage is known yet. With two readings, days by mileage can be projected.'
          ) : (
            <>
              <span className="font-medium text-ink">{formatMiles(odometer.mileage)}</span> on{' '}
              {formatDay(odometer.on)}
              {odometer.milesPerDay !== null &&
                `, about ${formatMiles(Math.round(odometer.milesPerDay))} a day`}
            </>
          )}
        </p>
        <Button
          size="small"
          onClick={() => {
            setOpen(true);
          }}
        >
          Update Mileage
        </Button>
      </div>
      <SavedWarnings
        warnings={warnings}
        onDismiss={() => {
          setWarnings([]);
        }}
      />
      <FormDialog
        open={open}
        onClose={() => {
          setOpen(false);
        }}
        title="Update Mileage"
        description={`What the odometer of the ${plan.vehicleName} shows.`}
        submitLabel="Save Mileage"
        form={form}
        parse={parseReading}
        save={save.mutateAsync}
        fallback="The mileage could not be saved. Please try again."
        onSaved={(saved) => {
          toast({
            title: 'Mileage saved',
            description: `${formatMiles(saved.mileage)} on ${formatDay(saved.date)}`,
          });
          setWarnings(saved.warnings);
          form.reset();
        }}
      >
        <Field
          label="Mileage"
          inputMode="numeric"
          autoComplete="off"
          className="max-sm:col-span-2"
          required
          {...form.bind('mileage')}
        />
        <Field label="Date" type="date" className="max-sm:col-span-2" {...form.bind('date')} />
      </FormDialog>
    </div>
  );
}
