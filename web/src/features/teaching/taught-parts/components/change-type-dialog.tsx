import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { NAME_MAX_LENGTH, typeChangeSchema } from '@/features/teaching/taught-parts/model';
import { catalogMutations } from '@/features/teaching/taught-parts/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useForm } from '@/hooks/use-form';
import { useGuardedClose } from '@/hooks/use-guarded-close';

type ChangeTypeDialogProps = {
  part: Pick<Schemas['TaughtPartType'], 'id' | 'name' | 'category'>;
  onClose: () => void;
};

/** Another name or category for a part that was taught. */
export function ChangeTypeDialog({ part, onClose }: ChangeTypeDialogProps) {
  const formId = useId();
  const fail = useFailureToast();
  const { id, name, category } = part;
  const form = useForm({ schema: typeChangeSchema, initial: { name, category } });
  const change = useMutation({ mutationFn: catalogMutations.changeType });
  const { close, question } = useGuardedClose(form.isChanged, onClose);
  const submit = form.submit((body) => {
    if (change.isPending) return;
    change.mutate(
      { id, ...body },
      {
        onSuccess: onClose,
        onError: (error) => {
          const fallback = 'The part could not be changed. Please try again.';
          if (!form.refuse(error, fallback)) fail(error, fallback);
        },
      },
    );
  });
  return (
    <>
      <Dialog
        open
        onClose={close}
        title="Edit Part"
        description="Scans, repairs and parts of your shop follow the new name."
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" form={formId} look="primary" disabled={change.isPending}>
              {change.isPending ? 'Saving...' : 'Save'}
            </Button>
          </>
        }
      >
        <form
          id={formId}
          noValidate
          aria-label="Edit part"
          className="grid grid-cols-1 gap-4"
          onSubmit={submit}
        >
          <Field
            label="Name"
            required
            maxLength={NAME_MAX_LENGTH}
            autoComplete="off"
            {...form.bindWithError('name')}
          />
          <SelectField label="Category" required {...form.bindWithError('category')}>
            {CATEGORIES.map((one) => (
              <option key={one} value={one}>
                {categoryName(one)}
              </option>
            ))}
          </SelectField>
        </form>
      </Dialog>
      {question}
    </>
  );
}
