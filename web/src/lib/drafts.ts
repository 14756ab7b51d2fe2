import { readSession, writeSession } from '@/lib/session-storage';

/** Whose draft it is, and of which form: the next person at a shop's computer is another one. */
export type DraftPlace = { userId: string; key: string };

/** How the key of each draft begins. */
const DRAFT = 'draft.';

/** What was typed before the session ended; empty where nothing was kept. */
export function readDraft(place: DraftPlace): object {
  const kept = readSession(nameOf(place));
  return typeof kept === 'object' && kept !== null ? kept : {};
}

export function hasDraft(place: DraftPlace): boolean {
  return readSession(nameOf(place)) !== null;
}

/** Whether anything is kept that `userId` typed. */
export function hasDraftOf(userId: string): boolean {
  return Object.keys(sessionStorage).some((name) => isDraftOf(name, userId));
}

/** Keeps what was typed in this tab. */
export function keepDraft(place: DraftPlace, values: object): void {
  writeSession(nameOf(place), values);
}

/** Shown once, a draft is in its form; the form alone says what becomes of it. */
export function forgetDraft(place: DraftPlace): void {
  sessionStorage.removeItem(nameOf(place));
}

/** Forgets what everybody typed but `userId`; without one, what everybody typed. */
export function forgetDrafts(userId: string | null): void {
  for (const name of Object.keys(sessionStorage)) {
    const spared = userId !== null && isDraftOf(name, userId);
    if (name.startsWith(DRAFT) && !spared) sessionStorage.removeItem(name);
  }
}

function isDraftOf(name: string, userId: string): boolean {
  return name.startsWith(DRAFT) && name.endsWith(`@${userId}`);
}

function nameOf({ userId, key }: DraftPlace): string {
  return `${key}@${userId}`;
}
