import { describe, expect, it } from 'vitest';
import {
  addWaiting,
  findWaiting,
  forgetOwner,
  listWaiting,
  readOwner,
  removeAllWaiting,
  removeWaiting,
  updateWaiting,
  writeOwner,
} from '@/features/scanning/offline-queue/store';
import {
  MAX_WAITING,
  MAX_WAITING_BYTES,
  noRoomFor,
} from '@/features/scanning/offline-queue/waiting-scan';
import { NotKeptError } from '@/features/scanning/scan-failure';
import { civic, waitingScan } from '@/testing/fixtures';

describe('kept scans', () => {
  it('keeps one to be sent in the place of the same one that was taken out', async () => {
    await addWaiting({ ...waitingScan, isTakenOut: true });
    await addWaiting(waitingScan);
    expect(await listWaiting(waitingScan.userId)).toHaveLength(1);
  });

  it('lists none that was taken out of its list, and forgets it with the others', async () => {
    await addWaiting({ ...waitingScan, id: 'out', isTakenOut: true });
    expect(await listWaiting(waitingScan.userId)).toEqual([]);
    expect(await findWaiting('out')).toBeDefined();
    await removeAllWaiting(waitingScan.userId);
    expect(await findWaiting('out')).toBeUndefined();
  });

  it('are listed for the one who took them, the oldest first', async () => {
    const older = { ...waitingScan, id: 'older', takenAt: waitingScan.takenAt - 1 };
    const other = { ...waitingScan, id: 'other', userId: 'user-2' };
    for (const scan of [waitingScan, older, other]) await addWaiting(scan);
    expect(await listWaiting('user-1')).toEqual([older, waitingScan]);
    expect(await listWaiting('user-2')).toEqual([other]);
  });

  it('change, and stay away once they are removed', async () => {
    await addWaiting(waitingScan);
    const refusal = { message: 'No.', vehicleGone: false };
    await updateWaiting(waitingScan.id, { refusal });
    expect(await listWaiting('user-1')).toEqual([{ ...waitingScan, refusal }]);
    await removeWaiting(waitingScan.id);
    await updateWaiting(waitingScan.id, { refusal: null });
    expect(await listWaiting('user-1')).toEqual([]);
  });

  it('go with the person who deletes them, and only theirs', async () => {
    await addWaiting(waitingScan);
    await addWaiting({ ...waitingScan, id: 'other', userId: 'user-2' });
    await removeAllWaiting('user-1');
    expect(await listWaiting('user-1')).toEqual([]);
    expect(await listWaiting('user-2')).toHaveLength(1);
  });

  it('are refused over the number that may wait', async () => {
    for (let n = 0; n < MAX_WAITING; n += 1) await addWaiting({ ...waitingScan, id: `scan-${n}` });
    await expect(addWaiting(waitingScan)).rejects.toThrow(NotKeptError);
    expect(await listWaiting('user-1')).toHaveLength(MAX_WAITING);
  });

  it('are counted by their photos', async () => {
    const [photo] = waitingScan.photos;
    if (photo === undefined) throw new Error('the fixture has one');
    const three = { ...waitingScan, photos: [photo, photo, photo] };
    for (let n = 0; n < 16; n += 1) await addWaiting({ ...three, id: `scan-${n}` });
    await expect(addWaiting(three)).rejects.toThrow(/^48 photos wait already, and 50 is the most/);
    await addWaiting({ ...three, photos: [photo, photo] });
  });

  it('are refused over the bytes that may wait', () => {
    const bytes = { byteLength: MAX_WAITING_BYTES } as ArrayBuffer;
    const large = { ...waitingScan, photos: [{ bytes, type: 'image/jpeg', name: 'large.jpg' }] };
    expect(noRoomFor(large, [])).toBeNull();
    expect(noRoomFor(large, [waitingScan])).toMatch(/150 MB together/);
  });
});

it('remembers who scans until they sign out, and of the vehicle only what a scan needs', async () => {
  expect(await readOwner()).toBeNull();
  await writeOwner({ userId: 'user-1', vehicle: { ...civic, vinNumber: 'X' } as typeof civic });
  expect(await readOwner()).toEqual({
    userId: 'user-1',
    vehicle: { id: civic.id, make: 'Honda', model: 'Civic', year: 2015 },
  });
  await forgetOwner();
  expect(await readOwner()).toBeNull();
});
