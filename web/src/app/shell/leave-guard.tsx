import { NavigationType, useBlocker, type Location } from 'react-router';
import { LeaveQuestion } from '@/components/leave-question';
import { closesOpened } from '@/hooks/use-opened';
import { isStep } from '@/hooks/use-stale-step';
import { isLeavingGuarded } from '@/lib/leave-guard';

/** Asks before the router leaves a screen with something typed; a form says so by `useLeaveGuard`. */
export function LeaveGuard() {
  const blocker = useBlocker(
    ({ currentLocation: from, nextLocation: to, historyAction }) =>
      leavesForm(from, to, historyAction) && isLeavingGuarded(),
  );
  return (
    <LeaveQuestion
      open={blocker.state === 'blocked'}
      onKeep={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  );
}

/** A change of the query stays on the screen, with all its forms but those of what it closes. */
function leavesForm(from: Location, to: Location, action: NavigationType): boolean {
  const closesStep = action === NavigationType.Pop && isStep(from) && !isStep(to);
  return from.pathname !== to.pathname || closesStep || closesOpened(from, to);
}
