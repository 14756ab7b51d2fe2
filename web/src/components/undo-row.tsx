import { Undo2 } from 'lucide-react';
import { Button } from '@/components/ui/button';

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
          onClick={onUndo}
        >
          <Undo2 className="size-4" aria-hidden />
          Undo
        </Button>
      )}
    </div>
  );
}
