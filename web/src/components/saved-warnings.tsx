import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';

type SavedWarningsProps = { warnings: Schemas['Warning'][]; onDismiss: () => void };

/** What the server found odd about a record that it saved all the same. */
export function SavedWarnings({ warnings, onDismiss }: SavedWarningsProps) {
  return (
    // Out of the flow while it is empty, so that it leaves no gap.
    <div role="status" className="empty:absolute">
      {warnings.length > 0 && (
        <Notice
          tone="warn"
          title="Saved, but please check it"
          action={
            <Button size="small" onClick={onDismiss}>
              Dismiss
            </Button>
          }
        >
          {warnings.map(({ code, message }) => (
            <p key={code}>{message}</p>
          ))}
        </Notice>
      )}
    </div>
  );
}
