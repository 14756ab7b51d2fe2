import { ApiError, UnreachableError } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import {
  findWaiting,
  listWaiting,
  removeWaiting,
  updateWaiting,
} from '@/features/scanning/offline-queue/store';
import type { Refusal, WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';
import { failureOf } from '@/features/scanning/scan-failure';

/** Why the server takes none now. */
type WaitReason = 'unreachable' | 'busy' | 'signed-out' | 'used-up' | 'another-tab';

/** What one attempt to send came to. */
type Outcome =
  /** The server cannot take any now: all wait on. */
  | { type: 'wait'; reason: WaitReason; retryAfter: number | null }
  /** The server has answered it before, and its scan was deleted since. */
  | { type: 'deleted' }
  /** The server refuses this one. */
  | { type: 'refused'; refusal: Refusal };

/** How the server names what does not exist, in the messages `SCAN_NOT_FOUND` and `VEHICLE_NOT_FOUND`. */
const GONE = /^This (scan|vehicle) does not exist\./;

/** What is said of a photograph whose scan is gone. */
export const DELETED_SINCE = 'It was answered before, and its scan has been deleted since.';

/** The person whose scans these are is not the one who is signed in now: another tab may have changed that. */
export class OtherPersonError extends Error {
  override readonly name = 'OtherPersonError';
}

export function outcomeOf(error: unknown): Outcome {
  if (error instanceof UnreachableError) {
    return { type: 'wait', reason: 'unreachable', retryAfter: null };
  }
  if (error instanceof OtherPersonError) {
    return { type: 'wait', reason: 'signed-out', retryAfter: null };
  }
  if (error instanceof ApiError) {
    const { retryAfter } = error;
    // No refusal: nothing is wrong with the photo, and it is sent once somebody has signed in.
    if (error.status === 401) return { type: 'wait', reason: 'signed-out', retryAfter };
    // Only its sentence says what is gone.
    const gone = error.status === 404 ? GONE.exec(error.detail)?.[1] : undefined;
    if (gone === 'scan') return { type: 'deleted' };
    if (gone === 'vehicle') {
      const message = 'Its vehicle has been deleted. Retry sends it for your default vehicle.';
      return { type: 'refused', refusal: { message, vehicleGone: true } };
    }
    // 409: the scan is being answered at this moment, to a sending that was cut off.
    if (error.status >= 500 || [404, 408, 409].includes(error.status)) {
      return { type: 'wait', reason: 'busy', retryAfter };
    }
  }
  const { kind, message, advice } = failureOf(error);
  // Another plan or another month makes room for it.
  if (kind === 'limit-reached') return { type: 'wait', reason: 'used-up', retryAfter: null };
  const text = kind === 'failed' && advice !== null ? `${message}. ${advice}` : message;
  return { type: 'refused', refusal: { message: text, vehicleGone: false } };
}

export type OutboxState = {
  /** The scan that is on its way. */
  sending: string | null;
  /** Why the others wait, if the last round says so. */
  waitingFor: WaitReason | null;
  /** Seconds that the server asked for before the next round; null where it named none. */
  retryAfter: number | null;
};

type Identify = (scan: WaitingScan) => Promise<Schemas['ScanResult']>;
type Told = (result: Schemas['ScanResult']) => void;

/**
 * Sends what waits, one after another, the oldest first. What was refused waits for the person.
 *
 * A scan whose answer is lost on its way is sent again under its own name, by which the server knows
 * for a day that it has answered it.
 */
export class Outbox {
  #state: OutboxState = { sending: null, waitingFor: null, retryAfter: null };
  /** When a round may begin by itself, in ms as `Date.now` counts; a person may ask for one before. */
  #notBefore = 0;
  readonly #listeners = new Set<() => void>();
  #running = false;
  #isAskedAgain = false;
  /** The answers that came on this page to scans that a screen of its own shows, by the names of the scans. */
  readonly answers = new Map<string, Schemas['ScanResult']>();
  /** The names of such scans that the server had answered before, and that have been deleted since. */
  readonly deleted = new Set<string>();

  readonly snapshot = (): OutboxState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Whether the server has not asked to be left alone for longer than until now. */
  readonly isDue = (): boolean => Date.now() >= this.#notBefore;

  /**
   * Sends all scans of one person that no refusal holds back. Of those that no other screen shows,
   * `onSent` hears of each answer, and `onDeleted` of each that is kept no longer because what came of it was deleted.
   */
  async flush(
    userId: string,
    identify: Identify,
    onSent: Told,
    onDeleted: () => void = () => undefined,
  ): Promise<void> {
    // One round at a time on this page, also where the browser has no locks to see to it. What a person retries
    // meanwhile is not among what the round has read: it has another one after it.
    this.#isAskedAgain = this.#running;
    if (this.#running) return;
    this.#running = true;
    try {
      const isAlone = await alone(async () => {
        do {
          this.#isAskedAgain = false;
          await this.#sendAll(userId, identify, onSent, onDeleted);
        } while (this.#mayGoOn());
      });
      if (!isAlone) this.#set({ waitingFor: 'another-tab', retryAfter: null });
    } finally {
      this.#running = false;
      this.#set({ sending: null });
    }
  }

  /** Whether somebody asked during the round, and it did not end because the server takes none. */
  #mayGoOn(): boolean {
    return this.#isAskedAgain && this.#state.waitingFor === null;
  }

  async #sendAll(
    userId: string,
    identify: Identify,
    onSent: Told,
    onDeleted: () => void,
  ): Promise<void> {
    this.#set({ waitingFor: null, retryAfter: null });
    const waiting = (await listWaiting(userId)).filter(({ refusal }) => refusal === null);
    for (const { id } of waiting) {
      // The ones before it may have taken minutes, in which it was deleted, or refused to another tab.
      const scan = await findWaiting(id);
      if (scan?.refusal !== null) continue;
      this.#set({ sending: scan.id });
      try {
        const result = await identify(scan);
        // Only now: if the page is closed before this, the scan is sent again under its name, and
        // the server gives the same answer.
        await removeWaiting(scan.id);
        if (scan.isListed === true) this.answers.set(scan.id, result);
        else onSent(result);
      } catch (error) {
        const outcome = outcomeOf(error);
        if (outcome.type === 'wait') {
          const { reason, retryAfter } = outcome;
          this.#notBefore = Date.now() + (retryAfter ?? 0) * 1000;
          this.#set({ waitingFor: reason, retryAfter });
          return;
        }
        if (outcome.type === 'deleted') {
          await removeWaiting(scan.id);
          if (scan.isListed === true) this.deleted.add(scan.id);
          else onDeleted();
        } else await updateWaiting(scan.id, { refusal: outcome.refusal });
      }
    }
  }

  #set(changes: Partial<OutboxState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** Runs `act` unless another tab does, and says whether it did; a browser without locks has no other tab to ask. */
async function alone(act: () => Promise<void>): Promise<boolean> {
  const locks = (navigator as Partial<Navigator>).locks;
  const run = async (lock: unknown) => {
    if (lock !== null) await act();
    return lock !== null;
  };
  if (locks === undefined) return run(undefined);
  return locks.request('partsight-outbox', { ifAvailable: true }, run);
}

export const outbox = new Outbox();
