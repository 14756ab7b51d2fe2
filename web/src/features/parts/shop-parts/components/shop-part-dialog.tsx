import { useMutation } from '@tanstack/react-query';
import { useController, useWatch } from 'react-hook-form';
import type { Schemas } from '@/api/client';
import { ChosenPartType } from '@/components/chosen-part-type';
import { FormDialog } from '@/components/form-dialog';
import { PartSearchBox } from '@/components/part-search-box';
import { NotesField } from '@/components/record-fields';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { FitmentsEditor } from '@/features/parts/shop-parts/components/fitments-editor';
import { PhotoChoice } from '@/features/parts/shop-parts/components/photo-choice';
import {
  formOfPart,
  numberText,
  photosOf,
  shopPartDraftKey,
  shopPartSchema,
} from '@/features/parts/shop-parts/model';
import { shopPartMutations } from '@/features/parts/shop-parts/mutations';
import { useForm } from '@/hooks/use-form';
import { useKeyedCall } from '@/hooks/use-keyed-call';

type ShopPartDialogProps = {
  /** What is edited, or null for a new one. */
  part: Schemas['ShopPart'] | null;
  onClose: () => void;
};

/** A part of the shop: which type it is, its number, its price and what it fits. */
export function ShopPartDialog({ part, onClose }: ShopPartDialogProps) {
  const toast = useToast();
  const form = useForm({
    schema: shopPartSchema,
    initial: formOfPart(part),
    draftKey: shopPartDraftKey(part),
    alert: true,
  });
  const create = useKeyedCall(shopPartMutations.create);
  const save = useMutation({
    mutationFn: (body: Schemas['NewShopPart']) =>
      part === null
        ? create(body)
        : shopPartMutations.update(part.id)((saved) => form.changesOver(formOfPart(saved))),
  });
  const { field: chosen } = useController({ control: form.control, name: 'label' });
  const label = chosen.value;
  const [fitments, photos] = useWatch({ control: form.control, name: ['fitments', 'photos'] });
  return (
    <FormDialog
      open
      onClose={onClose}
      title={part === null ? 'Add a Part' : `Edit ${numberText(part)}`}
      description="It is found by its number and brand, and answers scans of its type."
      submitLabel={part === null ? 'Add Part' : 'Save Changes'}
      form={form}
      save={(body) => save.mutateAsync(body)}
      onSaved={(saved) => {
        toast({
          title: part === null ? 'Part added' : 'Part updated',
          description: numberText(saved),
        });
      }}
      fallback="The part could not be saved. Please try again."
    >
      {label === '' ? (
        <div className="col-span-2">
          <PartSearchBox
            label="Which part is it? (required)"
            placeholder="Spark plug"
            typesOnly
            invalid={form.isInvalid('label')}
            inputRef={chosen.ref}
            onChoose={(found) => form.set({ label: found.label })}
          />
        </div>
      ) : (
        <ChosenPartType label={label} dropLabel="Change" onDrop={() => form.set({ label: '' })} />
      )}
      <Field
        label="Part number"
        required
        autoComplete="off"
        maxLength={60}
        className="max-sm:col-span-2"
        {...form.bind('number')}
      />
      <Field
        label="Brand"
        autoComplete="off"
        maxLength={60}
        className="max-sm:col-span-2"
        {...form.bind('brand')}
      />
      <Field
        label="Name in your shop"
        autoComplete="off"
        maxLength={120}
        className="col-span-2"
        {...form.bind('name')}
      />
      <Field label="Price" inputMode="decimal" autoComplete="off" {...form.bind('price')} />
      <Field
        label="Currency"
        autoComplete="off"
        maxLength={3}
        placeholder="USD"
        {...form.bind('currency')}
      />
      <NotesField {...form.bind('notes')} />
      {label !== '' && (
        <PhotoChoice
          label={label}
          photos={photosOf({ label, photos })}
          onChange={(ids) => form.set({ photos: { label, ids } })}
        />
      )}
      <FitmentsEditor fitments={fitments} onChange={(changed) => form.set({ fitments: changed })} />
    </FormDialog>
  );
}
