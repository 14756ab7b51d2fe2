import { openDB, type IDBPDatabase } from 'idb';
import { NotKeptError } from '@/features/scanning/scan-failure';
import {
  noRoomFor,
  scannedVehicle,
  type Owner,
  type WaitingScan,
} from '@/features/scanning/offline-queue/waiting-scan';

/** What is kept in this browser for scans without a server: they outlive a reload and a crash. */

const DATABASE = 'partsight';
const SCANS = 'waiting-scans';
const OWNER = 'owner';
/** The owner is one record. */
const OWNER_KEY = 'owner';

type Kept = {
  [SCANS]: { key: string; value: WaitingScan };
  [OWNER]: { key: string; value: Owner };
};

/** The scans of one person that are to be sent, the oldest first. */
export async function listWaiting(userId: string): Promise<WaitingScan[]> {
  return (await listKept(userId)).filter(({ isTakenOut }) => isTakenOut !== true);
}

/** All scans of one person that this browser keeps, also what the bench has on its way. */
export async function listKept(userId: string): Promise<WaitingScan[]> {
  const all = await inDatabase((database) => database.getAll(SCANS));
  return all
    .filter((scan) => scan.userId === userId)
    .toSorted((one, other) => one.takenAt - other.takenAt);
}

/** A scan as it is now; undefined once it was sent or deleted. */
export async function findWaiting(id: string): Promise<WaitingScan | undefined> {
  return inDatabase((database) => database.get(SCANS, id));
}

/** Keeps a scan, if there is room; in the place of one of its name that was taken out. */
export async function addWaiting(scan: WaitingScan): Promise<void> {
  const noRoom = noRoomFor(scan, await listWaiting(scan.userId));
  if (noRoom !== null) throw new NotKeptError(noRoom);
  try {
    await inDatabase((database) => database.put(SCANS, scan));
  } catch (error) {
    throw new NotKeptError(
      'This browser gave no room to keep the photos. Free some space on the device and try again.',
      { cause: error },
    );
  }
}

/** Changes a scan; one that was sent or deleted meanwhile does not come back. */
export async function updateWaiting(id: string, changes: Partial<WaitingScan>): Promise<void> {
  await inDatabase(async (database) => {
    const { store, done } = database.transaction(SCANS, 'readwrite');
    const scan = await store.get(id);
    if (scan !== undefined) await store.put({ ...scan, ...changes });
    await done;
  });
}

export async function removeWaiting(id: string): Promise<void> {
  await inDatabase((database) => database.delete(SCANS, id));
}

export async function removeAllWaiting(userId: string): Promise<void> {
  for (const { id } of await listKept(userId)) await removeWaiting(id);
}

/** Who used this browser last and has not signed out; null where that is not known. */
export async function readOwner(): Promise<Owner | null> {
  return (await inDatabase((database) => database.get(OWNER, OWNER_KEY))) ?? null;
}

export async function writeOwner({ userId, vehicle }: Owner): Promise<void> {
  const owner: Owner = { userId, vehicle: vehicle === null ? null : scannedVehicle(vehicle) };
  await inDatabase((database) => database.put(OWNER, owner, OWNER_KEY));
}

export async function forgetOwner(): Promise<void> {
  await inDatabase((database) => database.delete(OWNER, OWNER_KEY));
}

/** What `act` comes to; the database is open only as long, so that a later version never waits for this page. */
async function inDatabase<Value>(
  act: (database: IDBPDatabase<Kept>) => Promise<Value>,
): Promise<Value> {
  const database = await openDB<Kept>(DATABASE, 1, {
    upgrade: (fresh) => {
      fresh.createObjectStore(SCANS, { keyPath: 'id' });
      fresh.createObjectStore(OWNER);
    },
  });
  try {
    return await act(database);
  } finally {
    database.close();
  }
}
