/** What this tab keeps under `key`, or null for nothing or what is not JSON. */
export function readSession(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as unknown;
  } catch {
    return null;
  }
}

/** Keeps `value` until the tab is closed. A browser that forbids it goes on without. */
export function writeSession(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Blocked or full: what would have been kept is a convenience.
  }
}
