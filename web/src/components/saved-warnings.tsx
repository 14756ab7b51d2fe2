import type { Schemas } from '@/api/client';
import { Notice } from '@/components/ui/notice';

type SavedWarningsProps = { warnings: Schemas['Warning'][]; onDismiss: () => void };

/** What the server found odd about a record that it saved all the same. */
export function SavedWarnings({ warnings, onDismiss }: SavedWarningsProps) {
  return (
    // Out of the flow while it is empty, so that it leaves no gap.
    <div role="status" className="empty:absolute">
      {warnings.length > 0 && (
        <Notice tone="warn" title="Saved, but please check it" onDismiss={onDismiss}>
          {warnings.map(({ code, message }) => (
            <p key={code}>{message}</p>
          ))}
        </Notice>
      )}
    </div>
  );
}
