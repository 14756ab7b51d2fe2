import { useBlocker } from 'react-router';
import { LeaveQuestion } from '@/components/leave-question';
import { isLeavingGuarded } from '@/lib/leave-guard';

/** Asks before the router leaves a screen with something typed; a form says so by `useLeaveGuard`. */
export function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      // A change of the query stays on the screen, with all its forms.
      currentLocation.pathname !== nextLocation.pathname && isLeavingGuarded(),
  );
  return (
    <LeaveQuestion
      open={blocker.state === 'blocked'}
      onKeep={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}
