import { useId, useState } from 'react';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { PartSearchBox } from '@/components/part-search-box';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import type { TaughtPart } from '@/features/batches/mutations';
import { useGuardedClose } from '@/hooks/use-guarded-close';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { focusFirstField } from '@/lib/dialog-focus';
import { countOf } from '@/lib/format';

/** The longest name that the server takes, in characters. */
const NAME_MAX_LENGTH = 60;

type TeachDialogProps = {
  count: number;
  pending: boolean;
  onTeach: (part: TaughtPart) => void;
  onClose: () => void;
};

/** Teaches what the chosen photos show: a part that is there, or a new one by its name. */
export function TeachDialog({ count, pending, onTeach, onClose }: TeachDialogProps) {
  const formId = useId();
  const [name, setName] = useState('');
  const [category, setCategory] = useState('');
  const chosen = CATEGORIES.find((one) => one === category);
  const isWhole = name.trim() !== '' && chosen !== undefined;
  const isChanged = name !== '' || category !== '';
  useUnsavedWork(isChanged);
  const { close, question } = useGuardedClose(isChanged, onClose);
  return (
    <>
      <Dialog
        open
        busy={pending}
        onOpenAutoFocus={focusFirstField}
        onClose={close}
        title={`Teach ${countOf(count, 'Photo')}`}
        description="The next scan can find the part. The photos are checked; one that is blank, a copy, or more like another part is left out."
        footer={
          <>
            <Button disabled={pending} onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" form={formId} look="primary" disabled={pending || !isWhole}>
              {pending ? 'Checking the photos...' : 'Teach'}
            </Button>
          </>
        }
      >
        <div className="grid grid-cols-1 gap-5">
          <PartSearchBox
            label="A part that is there"
            typesOnly
            disabled={pending}
            onChoose={({ label }) => onTeach({ label })}
          />
          <form
            id={formId}
            aria-label="Name a new part"
            className="grid grid-cols-1 gap-4 sm:grid-cols-2"
            onSubmit={(event) => {
              event.preventDefault();
              if (chosen !== undefined) onTeach({ name: name.trim(), category: chosen });
            }}
          >
            <Field
              label="Or the name of a new one"
              placeholder="EGR valve, 2.0 TDI"
              maxLength={NAME_MAX_LENGTH}
              autoComplete="off"
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
            <SelectField
              label="Category"
              value={category}
              onChange={({ target }) => setCategory(target.value)}
            >
              <option value="">Choose one</option>
              {CATEGORIES.map((one) => (
                <option key={one} value={one}>
                  {categoryName(one)}
                </option>
              ))}
            </SelectField>
          </form>
        </div>
      </Dialog>
      {question}
    </>
  );
}
