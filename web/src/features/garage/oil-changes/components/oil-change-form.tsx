import { useInfiniteQuery } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { CostField, DateField, MileageField, NotesField } from '@/components/record-fields';
import { Field } from '@/components/ui/field';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  emptyOilChange,
  formOfOilChange,
  oilChangeDraftKey,
  oilChangeSchema,
  TEXT_MAX_LENGTH,
} from '@/features/garage/oil-changes/model';
import { oilChangeMutations } from '@/features/garage/oil-changes/mutations';
import { oilChangeQueries } from '@/features/garage/oil-changes/queries';
import { RecordForm } from '@/features/garage/records/components/record-form';
import { FRESH, latestOf } from '@/features/garage/records/latest';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';
import { today } from '@/lib/dates';

type OilChangeFormProps = {
  vehicles: Schemas['Vehicle'][];
  /** What is edited, as it was when the form opened, or null for a new one. */
  opened: Schemas['OilChange'] | null;
};

export function OilChangeForm({ vehicles, opened }: OilChangeFormProps) {
  const defaultId = vehicles.find((vehicle) => vehicle.isDefault)?.id ?? '';
  const vehicleId = opened?.vehicleId ?? defaultId;
  const records = useInfiniteQuery({
    ...oilChangeQueries.list(vehicleId === defaultId ? null : vehicleId),
    ...FRESH,
    enabled: opened !== null,
  });
  const record = opened === null ? null : latestOf(opened, records.data?.pages);
  const form = useForm({
    schema: oilChangeSchema,
    initial: record === null ? emptyOilChange(defaultId, today()) : formOfOilChange(record),
    draftKey: oilChangeDraftKey(record),
    alert: true,
  });
  const save = useKeyedCall(oilChangeMutations.save(record?.id ?? null));
  return (
    <RecordForm
      label={record === null ? 'Add oil change' : 'Edit oil change'}
      form={form}
      save={save}
      firstField="mileage"
      submitLabel={record === null ? 'Save Oil Change' : 'Save Changes'}
      news={() =>
        record === null
          ? {
              title: 'Oil change recorded!',
              description: 'Your oil change has been successfully logged.',
            }
          : { title: 'Oil change updated', description: 'Your changes are saved.' }
      }
      failure={{ title: 'Failed to record oil change', fallback: 'Please try again.' }}
    >
      <VehicleSelect
        vehicles={vehicles}
        none="Select a vehicle"
        label="Vehicle"
        required
        className="col-span-2"
        {...form.bind('vehicleId')}
      />
      <MileageField {...form.bind('mileage')} />
      <DateField {...form.bind('changeDate')} />
      <Field
        label="Oil type"
        placeholder="0W-20"
        autoComplete="off"
        maxLength={TEXT_MAX_LENGTH}
        {...form.bind('oilType')}
      />
      <Field
        label="Oil brand"
        autoComplete="off"
        maxLength={TEXT_MAX_LENGTH}
        {...form.bind('oilBrand')}
      />
      <Field
        label="Filter brand"
        autoComplete="off"
        maxLength={TEXT_MAX_LENGTH}
        {...form.bind('filterBrand')}
      />
      <CostField {...form.bind('cost')} />
      <NotesField {...form.bind('notes')} />
    </RecordForm>
  );
}
