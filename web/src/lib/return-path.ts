import { readSession, writeSession } from '@/lib/session-storage';

/** Where somebody who has to sign in first wants to be afterwards; travels as router state. */
export type ReturnState = { returnTo: string };

/** Where this tab keeps it for somebody who leaves the app to sign in. */
export const RETURN_TO = 'return-to';

/** A path of our own from router state, else null. */
export function returnPathOf(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('returnTo' in state)) return null;
  const { returnTo } = state;
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/')) return null;
  // Read as a browser reads it: `//host`, `/\host` and the like with a tab inside lead elsewhere.
  const url = URL.parse(returnTo, window.location.origin);
  if (url?.origin !== window.location.origin) return null;
  // `/.//host` is a path of ours that is `//host` once it is read.
  return url.pathname.startsWith('//') ? null : `${url.pathname}${url.search}`;
}

/** Whether it was kept since the page was loaded: then somebody is on the way to the sign-in. */
let isOnTheWay = false;

/** Keeps where somebody is whose session ended, so that the sign-in leads back there. */
export function keepReturnPath(userId: string | null, returnTo: string): void {
  isOnTheWay = true;
  writeSession(RETURN_TO, { userId, returnTo });
}

/** The kept path, whoever it is for; null for none. */
export function keptReturnPath(): string | null {
  return returnPathOf(readSession(RETURN_TO));
}

/** The kept path, which is kept no more; null for anybody but the person whose session ended. */
export function takeReturnPath(userId: string): string | null {
  const kept = readSession(RETURN_TO);
  forgetReturnPath();
  const theirs =
    typeof kept === 'object' &&
    kept !== null &&
    'userId' in kept &&
    (kept.userId === null || kept.userId === userId);
  return theirs ? returnPathOf(kept) : null;
}

/** Forgets one that was left over when the page was loaded. */
export function forgetOldReturnPath(): void {
  if (!isOnTheWay) forgetReturnPath();
}

export function forgetReturnPath(): void {
  sessionStorage.removeItem(RETURN_TO);
}
