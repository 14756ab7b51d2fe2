import { Trash2 } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';

type DeleteButtonProps = Omit<ComponentProps<typeof ConfirmDialog>, 'trigger'> & {
  /** What is deleted, for those who do not see the row: `Delete oil change of Mar 05, 2025`. */
  label: string;
  pending: boolean;
};

/** The bin at the end of a row. It asks first. */
export function DeleteButton({ label, pending, ...question }: DeleteButtonProps) {
  return (
    <ConfirmDialog
      {...question}
      trigger={
        <Button look="ghost" size="icon" aria-label={label} disabled={pending}>
          <Trash2 className="size-4" aria-hidden />
        </Button>
      }
    />
  );
}
