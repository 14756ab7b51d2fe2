import { LeaveGuard } from '@/app/shell/leave-guard';
import { ScreenChange } from '@/app/shell/screen-change';

/** What happens from one screen to the next: the question before leaving, and the news of the change. */
export function BetweenScreens() {
  return (
    <>
      <LeaveGuard />
      <ScreenChange />
    </>
  );
}
