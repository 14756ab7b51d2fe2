import { Trash2 } from 'lucide-react';
import { useRef, type ComponentProps, type RefObject } from 'react';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';

type DeleteButtonProps = Omit<ComponentProps<typeof ConfirmDialog>, 'trigger'> & {
  /** What is deleted, for those who do not see the row: `Delete oil change of Mar 05, 2025`. */
  label: string;
  pending: boolean;
  /** Takes the focus after a yes where no row can. */
  focusOnConfirm: RefObject<HTMLElement | null>;
};

/** The bin at the end of a row. It asks first. */
export function DeleteButton({
  label,
  pending,
  onConfirm,
  focusOnConfirm,
  ...question
}: DeleteButtonProps) {
  const bin = useRef<HTMLButtonElement>(null);
  /** Found while the row is there: it may be gone before the question is. */
  const heir = useRef<HTMLElement | null>(null);
  return (
    <ConfirmDialog
      {...question}
      onConfirm={() => {
        heir.current = heirOf(bin.current?.closest('li') ?? null);
        return onConfirm();
      }}
      focusOnConfirm={() => heir.current ?? focusOnConfirm.current}
      trigger={
        <Button ref={bin} look="ghost" size="icon" aria-label={label} disabled={pending}>
          <Trash2 className="size-4" aria-hidden />
        </Button>
      }
    />
  );
}

/** The row itself where it stays, as one with an undo does; else the next row, or the one before the last. */
function heirOf(row: HTMLElement | null): HTMLElement | null {
  if (row?.hasAttribute('tabindex') === true) return row;
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  return next?.querySelector<HTMLElement>('a[href], button:enabled') ?? null;
}
