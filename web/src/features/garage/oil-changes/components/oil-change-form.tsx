import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { FormAlert } from '@/components/form-alert';
import { CostField, MileageField, NotesField } from '@/components/record-fields';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { VehicleOptions } from '@/components/vehicle-options';
import {
  emptyOilChange,
  formOfOilChange,
  oilChangeDraftKey,
  oilChangeSchema,
} from '@/features/garage/oil-changes/model';
import { oilChangeMutations } from '@/features/garage/oil-changes/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { useForm } from '@/hooks/use-form';
import { today } from '@/lib/dates';

type OilChangeFormProps = {
  vehicles: Schemas['Vehicle'][];
  /** What is edited, or null for a new one. */
  record: Schemas['OilChange'] | null;
  onClose: () => void;
  onSaved: (saved: Schemas['SavedOilChange']) => void;
};

export function OilChangeForm({ vehicles, record, onClose, onSaved }: OilChangeFormProps) {
  const toast = useToast();
  const endSession = useSessionEnd();
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({
    schema: oilChangeSchema,
    initial:
      record === null
        ? emptyOilChange(vehicles.find((vehicle) => vehicle.isDefault)?.id ?? '', today())
        : formOfOilChange(record),
    draftKey: oilChangeDraftKey(record),
    alert: true,
  });
  const save = useMutation({ mutationFn: oilChangeMutations.save(record?.id ?? null) });
  // The form opens somewhere else on the page than what opened it.
  useEffect(() => {
    element.current?.querySelector<HTMLInputElement>('input[name="mileage"]')?.focus();
  }, []);

  const submit = form.submit((body) => {
    if (save.isPending) return;
    save.mutate(body, {
      onSuccess: (saved) => {
        toast({
          title: record === null ? 'Oil change recorded!' : 'Oil change updated',
          description:
            record === null
              ? 'Your oil change has been successfully logged.'
              : 'Your changes are saved.',
        });
        onSaved(saved);
      },
      onError: (error) => {
        form.refuse(error, 'Please try again.', 'Failed to record oil change');
        if (isSignedOut(error)) {
          endSession();
          return;
        }
        toast({
          title: 'Failed to record oil change',
          description: sentenceOf(error, 'Please try again.'),
          tone: 'bad',
        });
      },
    });
  });

  return (
    <form
      ref={element}
      noValidate
      aria-label={record === null ? 'Add oil change' : 'Edit oil change'}
      className="grid animate-rise grid-cols-2 gap-4 rounded-md border bg-canvas p-4"
      onSubmit={submit}
    >
      <FormAlert refusal={form.refusal} className="col-span-2" />
      <SelectField label="Vehicle" required className="col-span-2" {...form.bind('vehicleId')}>
        <option value="">Select a vehicle</option>
        <VehicleOptions vehicles={vehicles} />
      </SelectField>
      <MileageField {...form.bind('mileage')} />
      <Field label="Date" type="date" className="max-sm:col-span-2" {...form.bind('changeDate')} />
      <Field label="Oil type" placeholder="0W-20" autoComplete="off" {...form.bind('oilType')} />
      <Field label="Oil brand" autoComplete="off" {...form.bind('oilBrand')} />
      <Field label="Filter brand" autoComplete="off" {...form.bind('filterBrand')} />
      <CostField {...form.bind('cost')} />
      <NotesField {...form.bind('notes')} />
      <div className="col-span-2 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {save.isPending ? 'Saving...' : record === null ? 'Save Oil Change' : 'Save Changes'}
        </Button>
      </div>
    </form>
  );
}
