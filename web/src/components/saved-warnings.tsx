import type { Schemas } from '@/api/client';
import { Notice } from '@/components/ui/notice';
import { formatDay } from '@/lib/dates';

type SavedWarningsProps = { warnings: Schemas['Warning'][]; onDismiss: () => void };

/** The server writes days for programs; beside it stand those of the list. */
const DAY = /\b\d{4}-\d{2}-\d{2}\b/g;

/** What the server found odd about a record that it saved all the same. */
export function SavedWarnings({ warnings, onDismiss }: SavedWarningsProps) {
  return (
    // Out of the flow while it is empty, so that it leaves no gap.
    <div role="status" className="empty:absolute">
      {warnings.length > 0 && (
        <Notice tone="warn" title="Saved, but please check it" onDismiss={onDismiss}>
          {warnings.map(({ code, message }) => (
            <p key={code}>{message.replaceAll(DAY, formatDay)}</p>
          ))}
        </Notice>
      )}
    </div>
  );
}
