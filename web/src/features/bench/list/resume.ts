import { findWaiting, updateWaiting } from '@/features/scanning/offline-queue/store';
import type { WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';

/** For how long the server surely knows a scan by its name, in ms: a day, less what the sending may have taken. */
const KNOWN_MS = 23 * 3_600_000;

/**
 * Has a photo sent again that was on its way when the page was closed. One that the server may have answered so long ago
 * that it would be another scan by now waits for a person.
 */
export async function resume(key: string): Promise<void> {
  const scan = await findWaiting(key);
  const message = 'It may have been answered already; see the scan history. Retry sends it again.';
  const isHeld = scan?.isTakenOut === true && isForgotten(scan);
  await updateWaiting(key, {
    isTakenOut: false,
    ...(isHeld && { refusal: { message, vehicleGone: false } }),
  });
}

/** Whether the server may know no longer what it answered to a photo. */
export function isForgotten({ takenAt }: WaitingScan): boolean {
  return Date.now() - takenAt > KNOWN_MS;
}
