import type { Photo } from '@/lib/photos/photo';

/**
 * Photographs of a form whose sender has to sign in again: too large for the session storage that keeps what was typed.
 * They are taken out when the form is shown once more.
 */

const DATABASE = 'partsight-drafts';
const PHOTOS = 'photos';

/** Bytes, not a `Blob`: some browsers cannot store one. */
type Kept = { bytes: ArrayBuffer; type: string; name: string };

/** Keeps `photos` under `key` in place of those that it had. A browser without storage goes on without. */
export async function keepPhotos(key: string, photos: Photo[]): Promise<void> {
  const kept: Kept[] = await Promise.all(
    photos.map(async ({ blob, name }) => ({
      bytes: await blob.arrayBuffer(),
      type: blob.type,
      name,
    })),
  );
  await inStore((store) => store.put(kept, key)).catch(() => undefined);
}

/** The photos kept under `key`, which it has no more. */
export async function takePhotos(key: string): Promise<Photo[]> {
  const kept = await inStore<Kept[] | undefined>((store) => store.get(key)).catch(() => undefined);
  if (kept === undefined) return [];
  await inStore((store) => store.delete(key)).catch(() => undefined);
  return kept.map(({ bytes, type, name }) => ({ blob: new Blob([bytes], { type }), name }));
}

async function inStore<Value>(act: (store: IDBObjectStore) => IDBRequest): Promise<Value> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(PHOTOS);
  const database = (await done(request)) as IDBDatabase;
  try {
    const store = database.transaction(PHOTOS, 'readwrite').objectStore(PHOTOS);
    return (await done(act(store))) as Value;
  } finally {
    database.close();
  }
}

function done(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('The browser gave up.'));
    };
  });
}
