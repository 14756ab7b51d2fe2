import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { ChosenPartType } from '@/components/chosen-part-type';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { TextAreaField } from '@/components/ui/text-area-field';
import { useToast } from '@/components/ui/use-toast';
import {
  formOfRepair,
  parseRepair,
  REPAIR_FIELDS,
  repairDraftKey,
  type RepairForm as RepairFormValues,
} from '@/features/repair-history/model';
import { repairMutations } from '@/features/repair-history/mutations';
import { useSessionEnd } from '@/hooks/use-session-end';
import { refusalOf, useTextForm } from '@/hooks/use-text-form';
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
  const form = useTextForm(
    () => (record === null ? initial : formOfRepair(record)),
    repairDraftKey(record),
  );
  const save = useMutation(repairMutations.save(record?.id ?? null));
  const firstField = initial.partReplaced === '' ? 'partReplaced' : 'mileage';
  // The form opens somewhere else on the page than what opened it.
  useEffect(() => {
    element.current?.querySelector<HTMLInputElement>(`input[name="${firstField}"]`)?.focus();
  }, [firstField]);

  const submit = () => {
    const parsed = parseRepair(form.values);
    form.refuse(element.current, parsed.ok ? null : parsed.refusal);
    if (!parsed.ok || save.isPending) return;
    const body = scanId === null ? parsed.body : { ...parsed.body, scanId };
    save.mutate(body, {
      onSuccess: (saved) => {
        toast({
          title: record === null ? 'Repair added' : 'Repair updated',
          description: `${saved.partReplaced}, ${vehicleName(saved.vehicle)}`,
        });
        onSaved(saved);
      },
      onError: (error) => {
        if (isSignedOut(error)) {
          form.keepDraft();
          endSession();
          return;
        }
        const fallback = 'Failed to add repair';
        toast({ title: 'Error', description: sentenceOf(error, fallback), tone: 'bad' });
        form.refuse(element.current, refusalOf(error, REPAIR_FIELDS, fallback));
      },
    });
  };

  return (
    <form
      ref={element}
      noValidate
      aria-label={record === null ? 'Add repair' : 'Edit repair'}
      className="grid animate-rise grid-cols-2 gap-4 rounded-md border bg-canvas p-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormAlert refusal={form.refusal} className="col-span-2" />
      <SelectField label="Vehicle" required className="col-span-2" {...form.bind('vehicleId')}>
        <option value="">Select a vehicle</option>
        {vehicles.map((vehicle) => (
          <option key={vehicle.id} value={vehicle.id}>
            {vehicleName(vehicle)}
          </option>
        ))}
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
      {form.values.partLabel !== '' && (
        <ChosenPartType
          label={form.values.partLabel}
          dropLabel="Leave Out"
          onDrop={() => {
            form.set({ partLabel: '' });
          }}
        />
      )}
      <Field
        label="Mileage"
        inputMode="numeric"
        autoComplete="off"
        className="max-sm:col-span-2"
        required
        {...form.bind('mileage')}
      />
      <Field
        label="Date"
        type="date"
        required
        className="max-sm:col-span-2"
        {...form.bind('repairDate')}
      />
      <Field
        label="Cost in dollars"
        inputMode="decimal"
        autoComplete="off"
        className="col-span-2"
        {...form.bind('cost')}
      />
      <TextAreaField
        label="Notes"
        maxLength={2000}
        className="col-span-2"
        {...form.bind('notes')}
      />
      <div className="col-span-2 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={save.isPending}>
          {save.isPending ? 'Saving...' : record === null ? 'Save Repair' : 'Save Changes'}
        </Button>
      </div>
    </form>
  );
}
