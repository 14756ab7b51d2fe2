import { readSession, writeSession } from '@/lib/session-storage';

/** What was typed under `key` before the session ended; empty where nothing was kept. */
export function readDraft(key: string | undefined): object {
  const kept = key === undefined ? null : readSession(key);
  return typeof kept === 'object' && kept !== null ? kept : {};
}

/** Keeps what was typed in this tab. A form without a key keeps nothing, such as one with a password. */
export function keepDraft(key: string | undefined, values: object): void {
  if (key !== undefined) writeSession(key, values);
}

/** Shown once, a draft is in its form; the form alone says what becomes of it. */
export function forgetDraft(key: string | undefined): void {
  if (key !== undefined) sessionStorage.removeItem(key);
}
