import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useWatch } from 'react-hook-form';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { ChosenPartType } from '@/components/chosen-part-type';
import { FormAlert } from '@/components/form-alert';
import { CostField, MileageField, NotesField } from '@/components/record-fields';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import { VehicleOptions } from '@/components/vehicle-options';
import {
  formOfRepair,
  repairDraftKey,
  repairSchema,
  type RepairForm as RepairFormValues,
} from '@/features/garage/repair-history/model';
import { repairMutations } from '@/features/garage/repair-history/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { useForm } from '@/hooks/use-form';
import { vehicleName } from '@/lib/format';

type RepairFormProps = {
  vehicles: Schemas['Vehicle'][];
  /** What is edited, or null for a new one. */
  record: Schemas['Repair'] | null;
  /** What a new one begins with. */
  initial: RepairFormValues;
  /** The scan of the fitted part; what is left blank of a new one, the server takes from it. */
  scanId: string | null;
  onClose: () => void;
  onSaved: (saved: Schemas['SavedRepair']) => void;
};

export function RepairForm({
  vehicles,
  record,
  initial,
  scanId,
  onClose,
  onSaved,
}: RepairFormProps) {
  const toast = useToast();
  const endSession = useSessionEnd();
  const element = useRef<HTMLFormElement>(null);
  const form = useForm({
    schema: repairSchema,
    initial: record === null ? initial : formOfRepair(record),
    draftKey: repairDraftKey(record),
    alert: true,
  });
  const partLabel = useWatch({ control: form.control, name: 'partLabel' });
  const save = useMutation({ mutationFn: repairMutations.save(record?.id ?? null) });
  const firstField = initial.partReplaced === '' ? 'partReplaced' : 'mileage';
  // The form opens somewhere else on the page than what opened it.
  useEffect(() => {
    element.current?.querySelector<HTMLInputElement>(`input[name="${firstField}"]`)?.focus();
  }, [firstField]);

  const submit = form.submit((body) => {
    if (save.isPending) return;
    save.mutate(scanId === null ? body : { ...body, scanId }, {
      onSuccess: (saved) => {
        toast({
          title: record === null ? 'Repair added' : 'Repair updated',
          description: `${saved.partReplaced}, ${vehicleName(saved.vehicle)}`,
        });
        onSaved(saved);
      },
      onError: (error) => {
        const fallback = 'Failed to add repair';
        form.refuse(error, fallback);
        if (isSignedOut(error)) {
          endSession();
          return;
        }
        toast({ title: 'Error', description: sentenceOf(error, fallback), tone: 'bad' });
      },
    });
  });

  return (
    <form
      ref={element}
      noValidate
      aria-label={record === null ? 'Add repair' : 'Edit repair'}
      className="grid animate-rise grid-cols-2 gap-4 rounded-md border bg-canvas p-4"
      onSubmit={submit}
    >
      <FormAlert refusal={form.refusal} className="col-span-2" />
      <SelectField label="Vehicle" required className="col-span-2" {...form.bind('vehicleId')}>
        <option value="">Select a vehicle</option>
        <VehicleOptions vehicles={vehicles} />
      </SelectField>
      <Field
        label="Part replaced"
        placeholder="Alternator"
        autoComplete="off"
        maxLength={120}
        required
        className="col-span-2"
        {...form.bind('partReplaced')}
      />
      <Field
        label="Part number"
        autoComplete="off"
        maxLength={60}
        className="max-sm:col-span-2"
        {...form.bind('partNumber')}
      />
      <Field
        label="Brand"
        autoComplete="off"
        maxLength={60}
        className="max-sm:col-span-2"
        {...form.bind('partBrand')}
      />
      {partLabel !== '' && (
        <ChosenPartType
          label={partLabel}
          dropLabel="Leave Out"
          onDrop={() => form.set({ partLabel: '' })}
        />
      )}
      <MileageField {...form.bind('mileage')} />
      <Field
        label="Date"
        type="date"
        required
        className="max-sm:col-span-2"
        {...form.bind('repairDate')}
      />
      <CostField className="col-span-2" {...form.bind('cost')} />
      <NotesField {...form.bind('notes')} />
      <div className="col-span-2 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {save.isPending ? 'Saving...' : record === null ? 'Save Repair' : 'Save Changes'}
        </Button>
      </div>
    </form>
  );
}
