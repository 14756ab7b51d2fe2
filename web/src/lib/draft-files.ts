import { openDB, type IDBPObjectStore } from 'idb';
import type { DraftPlace } from '@/lib/drafts';

/**
 * Files of a form whose sender has to sign in again: too large for the session storage that keeps what was typed.
 * They are taken out when the form is shown once more, and nobody finds them a day later.
 */

export type NamedBlob = { blob: Blob; name: string };

const DATABASE = 'partsight-drafts';
const FILES = 'files';
const VERSION = 2;

/** How long files are kept for somebody who does not come back, in ms. */
export const KEPT_MS = 24 * 3600 * 1000;

/** Bytes, not a `Blob`: some browsers cannot store one. */
type Kept = { bytes: ArrayBuffer; type: string; name: string };

/** Whose, of which form, and when it was kept: enough to tell what may go without reading it. */
type Key = [userId: string, form: string, keptAt: number];

type Files = { [FILES]: { key: Key; value: Kept[] } };
type Store = IDBPObjectStore<Files, [typeof FILES], typeof FILES, 'readwrite'>;

/**
 * Keeps `files` in place of those that the form had. It never fails: a browser without storage goes on without, and a
 * file that was moved or deleted since it was chosen is left out.
 */
export async function keepFiles(place: DraftPlace, files: NamedBlob[]): Promise<void> {
  // Before the transaction, which the browser ends as soon as it waits for anything but its
  // database.
  const read = await Promise.allSettled(
    files.map(async ({ blob, name }) => ({
      bytes: await blob.arrayBuffer(),
      type: blob.type,
      name,
    })),
  );
  const kept = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (kept.length === 0) return;
  const key: Key = [place.userId, place.key, Date.now()];
  await inStore(async (store) => {
    await store.delete(keysOf(place));
    await store.put(kept, key);
  });
}

/** The files kept for the form, which it has no more. */
export async function takeFiles(place: DraftPlace): Promise<NamedBlob[]> {
  const kept = await inStore(async (store) => {
    const recent = keysOf(place, Date.now() - KEPT_MS);
    const found = await store.get(recent);
    // All of them, those that are too old to be given back as well.
    await store.delete(keysOf(place));
    return found;
  });
  return (kept ?? []).map(({ bytes, type, name }) => ({ blob: new Blob([bytes], { type }), name }));
}

/** Forgets what is too old, and the files of everybody but `userId`; without one, those of everybody. */
export async function forgetFiles(userId: string | null): Promise<void> {
  const oldest = Date.now() - KEPT_MS;
  await inStore(async (store) => {
    for (const key of await store.getAllKeys()) {
      if (key[0] !== userId || key[2] < oldest) await store.delete(key);
    }
  });
}

function keysOf({ userId, key }: DraftPlace, since = 0): IDBKeyRange {
  return IDBKeyRange.bound([userId, key, since], [userId, key, Infinity]);
}

/** What `act` comes to in one transaction; undefined where the browser keeps nothing. */
async function inStore<Value>(act: (store: Store) => Promise<Value>): Promise<Value | undefined> {
  try {
    const database = await openDB<Files>(DATABASE, VERSION, {
      upgrade: (fresh) => {
        fresh.createObjectStore(FILES);
      },
    });
    try {
      return await act(database.transaction(FILES, 'readwrite').store);
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}
