import { useState } from 'react';
import { LeaveQuestion } from '@/components/leave-question';
import { isLeavingGuarded, letLeave } from '@/lib/leave-guard';

/**
 * For buttons that take away what is on the screen: `ask` asks first, where a form in it says by `useLeaveGuard` that
 * something would be lost. The `question` is drawn beside.
 */
export function useLeaveQuestion() {
  const [wanted, setWanted] = useState<{ leave: () => void } | null>(null);
  return {
    ask: (leave: () => void) => {
      if (isLeavingGuarded()) setWanted({ leave });
      else leave();
    },
    question: (
      <LeaveQuestion
        open={wanted !== null}
        onKeep={() => setWanted(null)}
        onLeave={() => {
          setWanted(null);
          // It may lead by the router, which would ask again.
          letLeave();
          wanted?.leave();
        }}
      />
    ),
  };
}
