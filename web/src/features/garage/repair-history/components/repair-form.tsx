import { useInfiniteQuery } from '@tanstack/react-query';
import { useWatch } from 'react-hook-form';
import type { Schemas } from '@/api/client';
import { ChosenPartType } from '@/components/chosen-part-type';
import { CostField, DateField, MileageField, NotesField } from '@/components/record-fields';
import { Field } from '@/components/ui/field';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  formOfRepair,
  leftOut,
  repairDraftKey,
  repairSchema,
  type RepairForm as RepairFormValues,
} from '@/features/garage/repair-history/model';
import { repairMutations } from '@/features/garage/repair-history/mutations';
import { repairQueries } from '@/features/garage/repair-history/queries';
import { RecordForm } from '@/features/garage/records/components/record-form';
import { FRESH, latestOf } from '@/features/garage/records/latest';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { vehicleName } from '@/lib/format';

type RepairFormProps = {
  vehicles: Schemas['Vehicle'][];
  /** The vehicle whose repairs are listed; null where those of all are. */
  listedId: string | null;
  /** What is edited, as it was when the form opened, or null for a new one. */
  opened: Schemas['Repair'] | null;
  /** What a new one begins with. */
  initial: RepairFormValues;
  /** The scan of the fitted part; what is not sent of a new one, the server takes from it. */
  scanId: string | null;
};

export function RepairForm({ vehicles, listedId, opened, initial, scanId }: RepairFormProps) {
  const records = useInfiniteQuery({
    ...repairQueries.list(listedId),
    ...FRESH,
    enabled: opened !== null,
  });
  const record = opened === null ? null : latestOf(opened, records.data?.pages);
  const form = useForm({
    schema: repairSchema,
    initial: record === null ? initial : formOfRepair(record),
    draftKey: repairDraftKey(record),
    alert: true,
  });
  const partLabel = useWatch({ control: form.control, name: 'partLabel' });
  const save = useKeyedCall(repairMutations.save(record?.id ?? null));
  return (
    <RecordForm
      label={record === null ? 'Add repair' : 'Edit repair'}
      form={form}
      save={(body) => save(scanId === null ? body : { ...leftOut(initial), ...body, scanId })}
      firstField={initial.partReplaced === '' ? 'partReplaced' : 'mileage'}
      submitLabel={record === null ? 'Save Repair' : 'Save Changes'}
      news={(saved) => ({
        title: record === null ? 'Repair added' : 'Repair updated',
        description: `${saved.partReplaced}, ${vehicleName(saved.vehicle)}`,
      })}
      failure={{ fallback: 'Failed to add repair' }}
    >
      <VehicleSelect
        vehicles={vehicles}
        none="Select a vehicle"
        label="Vehicle"
        required
        className="col-span-2"
        {...form.bind('vehicleId')}
      />
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
      <DateField {...form.bind('repairDate')} />
      <CostField className="col-span-2" {...form.bind('cost')} />
      <NotesField {...form.bind('notes')} />
    </RecordForm>
  );
}
