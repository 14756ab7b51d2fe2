/** A cookie that ends with the browser's session; its value only tells one session from another. */
const MARK = 'partsight-session';

/**
 * What this browser keeps under `key` in all its tabs until it is closed, or null for nothing or what is not JSON. A
 * browser without cookies has no such session, and keeps nothing.
 */
export function readBrowserSession(key: string): unknown {
  const session = currentSession();
  if (session === null) return null;
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as unknown;
    return isOf(kept, session) ? kept.value : null;
  } catch {
    return null;
  }
}

/** Keeps `value` for all tabs until the browser is closed. */
export function writeBrowserSession(key: string, value: unknown): void {
  const session = currentSession();
  if (session === null) return;
  try {
    localStorage.setItem(key, JSON.stringify({ session, value }));
  } catch {
    // Blocked or full: what would have been kept is a convenience.
  }
}

/** Calls `then` when another tab has written `key`; what it returns ends that. */
export function onBrowserSession(key: string, then: () => void): () => void {
  const listener = (event: StorageEvent) => {
    if (event.key === key) then();
  };
  window.addEventListener('storage', listener);
  return () => window.removeEventListener('storage', listener);
}

function isOf(kept: unknown, session: string): kept is { session: string; value: unknown } {
  return typeof kept === 'object' && kept !== null && 'session' in kept && kept.session === session;
}

function currentSession(): string | null {
  const found = markIn(document.cookie);
  if (found !== null) return found;
  const made = `${Date.now().toString(36)}${Math.random().toString(36).slice(2)}`;
  document.cookie = `${MARK}=${made}; path=/; samesite=lax`;
  // Read back: a browser that takes no cookies says so in no other way.
  return markIn(document.cookie);
}

function markIn(cookies: string): string | null {
  const mark = cookies.split('; ').find((cookie) => cookie.startsWith(`${MARK}=`));
  return mark?.slice(MARK.length + 1) ?? null;
}
