import { LeaveGuard } from '@/app/shell/leave-guard';
import { ScreenChange } from '@/app/shell/screen-change';
import { SessionEnd } from '@/app/shell/session-end';

/**
 * What happens from one screen to the next: the question before leaving, the news of the change, and of a session that
 * ended on the way.
 */
export function BetweenScreens() {
  return (
    <>
      <LeaveGuard />
      <ScreenChange />
      <SessionEnd />
    </>
  );
}
