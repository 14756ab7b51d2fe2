import { readSession, writeSession } from '@/lib/session-storage';

const INVITATION = 'invitation';

/** Keeps the secret of a mailed invitation in this tab for somebody who leaves the app to sign in. */
export function keepInvitation(token: string): void {
  writeSession(INVITATION, token);
}

/** The kept secret, which is kept no more; null for none. */
export function takeInvitation(): string | null {
  const kept = readSession(INVITATION);
  if (typeof kept !== 'string') return null;
  sessionStorage.removeItem(INVITATION);
  return kept;
}
