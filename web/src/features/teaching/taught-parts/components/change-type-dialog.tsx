import { useMutation } from '@tanstack/react-query';
import type { Schemas } from '@/api/client';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { FormDialog } from '@/components/form-dialog';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import {
  changeDraftKey,
  NAME_MAX_LENGTH,
  typeChangeSchema,
} from '@/features/teaching/taught-parts/model';
import { catalogMutations } from '@/features/teaching/taught-parts/mutations';
import { useForm } from '@/hooks/use-form';

type ChangeTypeDialogProps = {
  part: Pick<Schemas['TaughtPartType'], 'id' | 'name' | 'category'>;
  open: boolean;
  onClose: () => void;
};

/** Another name or category for a part that was taught. */
export function ChangeTypeDialog({ part, open, onClose }: ChangeTypeDialogProps) {
  const { id, name, category } = part;
  const form = useForm({
    schema: typeChangeSchema,
    initial: { name, category },
    draftKey: changeDraftKey(id),
    alert: true,
  });
  const change = useMutation({ mutationFn: catalogMutations.changeType(id) });
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Edit Part"
      description="Scans and the parts of your shop show the new name. Repairs keep the name that they were logged with."
      submitLabel="Save"
      form={form}
      save={() => change.mutateAsync((saved) => form.changesOver(saved))}
      onSaved={() => undefined}
      fallback="The part could not be changed. Please try again."
    >
      <Field
        label="Name"
        required
        maxLength={NAME_MAX_LENGTH}
        autoComplete="off"
        className="col-span-2"
        {...form.bind('name')}
      />
      <SelectField label="Category" required className="col-span-2" {...form.bind('category')}>
        {CATEGORIES.map((one) => (
          <option key={one} value={one}>
            {categoryName(one)}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  );
}
