import { hasDraftOf } from '@/lib/drafts';
import { RETURN_TO } from '@/lib/return-path';
import { readSession } from '@/lib/session-storage';

/** The end of a session that led this tab to the sign-in. */
export type EndedSession = {
  /** Whether a form kept what was typed, for its person to find after signing in. */
  hasDraft: boolean;
};

/** Null for whoever came to the sign-in by themselves. */
export function endedSession(): EndedSession | null {
  const kept = readSession(RETURN_TO);
  if (typeof kept !== 'object' || kept === null || !('userId' in kept)) return null;
  // A visitor who goes to the sign-in keeps their way back for nobody.
  return typeof kept.userId === 'string' ? { hasDraft: hasDraftOf(kept.userId) } : null;
}
