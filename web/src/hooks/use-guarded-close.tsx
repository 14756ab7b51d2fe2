import { useState } from 'react';
import { LeaveQuestion } from '@/components/leave-question';
import { useLeaveGuard } from '@/hooks/use-leave-guard';

/**
 * Asks before a dialog is closed, or its screen left, while `isDirty`: something is typed in it and not saved. The
 * `question` is drawn beside the dialog.
 */
export function useGuardedClose(isDirty: boolean, onClose: () => void) {
  const [asking, setAsking] = useState(false);
  useLeaveGuard(isDirty);
  return {
    close: () => {
      if (isDirty) setAsking(true);
      else onClose();
    },
    question: (
      <LeaveQuestion
        open={asking}
        onKeep={() => setAsking(false)}
        onLeave={() => {
          setAsking(false);
          onClose();
        }}
      />
    ),
  };
}
