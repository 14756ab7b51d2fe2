import { Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';

/** A row that stays when it is deleted: it has the focus when the button that had it goes. */
export function UndoableRow({ children }: { children: ReactNode }) {
  return <li tabIndex={-1}>{children}</li>;
}

type UndoRowProps = {
  text: string;
  what: string;
  pending: boolean;
  /** Null where something else has taken its place. */
  onUndo: (() => void) | null;
};

/** Stands in the place of what was deleted, with the way to bring it back. */
export function UndoRow({ text, what, pending, onUndo }: UndoRowProps) {
  return (
    <div className="flex items-center justify-between gap-3 py-3 text-sm text-muted">
      <p className="wrap-anywhere">{text}</p>
      {onUndo !== null && (
        <Button
          size="small"
          aria-label={`Undo deleting ${what}`}
          disabled={pending}
          onClick={({ currentTarget }) => {
            // The button goes with what it undoes.
            currentTarget.closest<HTMLElement>('li[tabindex]')?.focus();
            onUndo();
          }}
        >
          <Undo2 className="size-4" aria-hidden />
          Undo
        </Button>
      )}
    </div>
  );
}
