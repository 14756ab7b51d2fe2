import { useEffect } from 'react';
import { guardLeaving } from '@/lib/leave-guard';

/**
 * Asks before the screen is left, the page is loaded anew or the window is closed, while `isDirty`: something is
 * typed and not saved.
 *
 * The router asks one place only, so the question itself is the shell's (`LeaveGuard`).
 */
export function useLeaveGuard(isDirty: boolean): void {
  useEffect(() => {
    if (isDirty) return guardLeaving();
  }, [isDirty]);
}
