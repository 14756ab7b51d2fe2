import { Pencil } from 'lucide-react';
import type { ComponentProps } from 'react';
import { DeleteButton } from '@/components/delete-button';
import { Button } from '@/components/ui/button';

type RowActionsProps = Omit<ComponentProps<typeof DeleteButton>, 'label' | 'confirmLabel'> & {
  /** What the row is, for those who do not see it: `oil change of Mar 05, 2025`. */
  what: string;
  onEdit: () => void;
};

/** The pen and the bin at the end of a row. */
export function RowActions({ what, onEdit, ...question }: RowActionsProps) {
  return (
    <div className="-mt-1.5 -mr-2 flex shrink-0">
      <Button look="ghost" size="icon" aria-label={`Edit ${what}`} onClick={onEdit}>
        <Pencil className="size-4" aria-hidden />
      </Button>
      <DeleteButton label={`Delete ${what}`} confirmLabel="Delete" {...question} />
    </div>
  );
}
