import {
  noRoomFor,
  scannedVehicle,
  type KeptPhoto,
  type Owner,
  type WaitingScan,
} from '@/features/scan/waiting/waiting-scan';

/** What is kept in this browser for scans without a server: they outlive a reload and a crash. */

const DATABASE = 'partsight';
const SCANS = 'waiting-scans';
const OWNER = 'owner';
/** The owner is one record. */
const OWNER_KEY = 'owner';

/** The photograph cannot be kept; the message says why and what to do. */
export class NotKeptError extends Error {
  override readonly name = 'NotKeptError';
}

/** Scans that were kept while each had one photograph have it by itself. */
type StoredScan = WaitingScan | (Omit<WaitingScan, 'photos'> & { photo: KeptPhoto });

function withPhotos(stored: StoredScan): WaitingScan {
  if ('photos' in stored) return stored;
  const { photo, ...scan } = stored;
  return { ...scan, photos: [photo] };
}

/** The scans of one person, the oldest first. */
export async function listWaiting(userId: string): Promise<WaitingScan[]> {
  const all = await run(SCANS, 'readonly', (store) => store.getAll() as IDBRequest<StoredScan[]>);
  return all
    .filter((scan) => scan.userId === userId)
    .map(withPhotos)
    .toSorted((one, other) => one.takenAt - other.takenAt);
}

/** Keeps a scan, if there is room. */
export async function addWaiting(scan: WaitingScan): Promise<void> {
  const noRoom = noRoomFor(scan, await listWaiting(scan.userId));
  if (noRoom !== null) throw new NotKeptError(noRoom);
  try {
    await run(SCANS, 'readwrite', (store) => store.add(scan));
  } catch (error) {
    throw new NotKeptError(
      'This browser gave no room to keep the photos. Free some space on the device and try again.',
      { cause: error },
    );
  }
}

/** Changes a scan; one that was sent or deleted meanwhile does not come back. */
export async function updateWaiting(id: string, changes: Partial<WaitingScan>): Promise<void> {
  const database = await open();
  try {
    const transaction = database.transaction(SCANS, 'readwrite');
    const store = transaction.objectStore(SCANS);
    const scan = (await done(store.get(id))) as WaitingScan | undefined;
    if (scan !== undefined) await done(store.put({ ...scan, ...changes }));
  } finally {
    database.close();
  }
}

export async function removeWaiting(id: string): Promise<void> {
  await run(SCANS, 'readwrite', (store) => store.delete(id));
}

export async function removeAllWaiting(userId: string): Promise<void> {
  for (const { id } of await listWaiting(userId)) await removeWaiting(id);
}

/** Who used this browser last and has not signed out; null where that is not known. */
export async function readOwner(): Promise<Owner | null> {
  return (
    (await run(
      OWNER,
      'readonly',
      (store) => store.get(OWNER_KEY) as IDBRequest<Owner | undefined>,
    )) ?? null
  );
}

export async function writeOwner({ userId, vehicle }: Owner): Promise<void> {
  const owner: Owner = { userId, vehicle: vehicle === null ? null : scannedVehicle(vehicle) };
  await run(OWNER, 'readwrite', (store) => store.put(owner, OWNER_KEY));
}

export async function forgetOwner(): Promise<void> {
  await run(OWNER, 'readwrite', (store) => store.delete(OWNER_KEY));
}

async function run<Value>(
  name: string,
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const database = await open();
  try {
    const transaction = database.transaction(name, mode);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => {
        resolve();
      };
      transaction.onabort = () => {
        reject(transaction.error ?? new Error('The browser gave up.'));
      };
    });
    const [value] = await Promise.all([done(act(transaction.objectStore(name))), ended]);
    return value;
  } finally {
    database.close();
  }
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(SCANS, { keyPath: 'id' });
    request.result.createObjectStore(OWNER);
  };
  return done(request);
}

function done<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error('The browser gave up.'));
    };
  });
}
