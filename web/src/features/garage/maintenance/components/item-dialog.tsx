import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { FormDialog } from '@/components/form-dialog';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import {
  ENGINE_OIL,
  formOfItem,
  intervalText,
  itemDraftKey,
  itemIdOf,
  itemSchema,
} from '@/features/garage/maintenance/model';
import { maintenanceMutations } from '@/features/garage/maintenance/mutations';
import { useForm } from '@/hooks/use-form';

type ItemDialogProps = {
  vehicleId: string;
  /** What is changed, or null for a new item of one's own. */
  item: Schemas['MaintenanceItem'] | null;
  /** Ids that a new item may not take. */
  taken: string[];
  open: boolean;
  onClose: () => void;
  returnFocus?: () => HTMLElement | null;
};

export function ItemDialog({ vehicleId, item, taken, ...dialog }: ItemDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: itemSchema(item),
    initial: formOfItem(item),
    draftKey: itemDraftKey(vehicleId, item),
    alert: true,
  });
  const set = useMutation({ mutationFn: maintenanceMutations.set(vehicleId) });
  const usual = item !== null && item.scheduled && !item.ownInterval ? intervalText(item) : null;
  return (
    <FormDialog
      {...dialog}
      title={item === null ? 'Add Reminder' : item.name}
      description={
        usual === null
          ? 'It is due after the months or the miles, whichever comes first.'
          : `Usually: ${usual}. Fields that stay empty keep that.`
      }
      submitLabel={item === null ? 'Add Reminder' : 'Save Changes'}
      form={form}
      save={(body) =>
        set.mutateAsync({ item: item?.item ?? itemIdOf(body.name ?? '', taken), body })
      }
      onSaved={(saved) => toast({ title: 'Reminder saved', description: saved.name })}
      fallback="The reminder could not be saved. Please try again."
    >
      {item?.scheduled !== true && (
        <Field
          label="What is to be done"
          placeholder="Wheel alignment"
          autoComplete="off"
          maxLength={80}
          required
          className="col-span-2"
          {...form.bind('name')}
        />
      )}
      <Field
        label="Every months"
        inputMode="numeric"
        autoComplete="off"
        placeholder={item?.intervalMonths == null ? '12' : String(item.intervalMonths)}
        {...form.bind('intervalMonths')}
      />
      <Field
        label="Every miles"
        inputMode="numeric"
        autoComplete="off"
        placeholder={item?.intervalMiles == null ? '15000' : String(item.intervalMiles)}
        {...form.bind('intervalMiles')}
      />
      {item?.item === ENGINE_OIL ? (
        <p className="col-span-2 text-sm text-muted">
          The last time is the latest oil change that you logged.
        </p>
      ) : (
        <>
          <Field
            label="Last done on"
            type="date"
            className="max-sm:col-span-2"
            {...form.bind('lastDoneOn')}
          />
          <Field
            label="At mileage"
            inputMode="numeric"
            autoComplete="off"
            className="max-sm:col-span-2"
            {...form.bind('lastDoneMileage')}
          />
        </>
      )}
    </FormDialog>
  );
}
