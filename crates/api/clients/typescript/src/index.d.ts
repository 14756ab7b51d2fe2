import type { Client } from 'openapi-fetch';
import type { components, paths } from './schema.gen.d.ts';

export type Schemas = components['schemas'];

export type ConnectOptions = {
  /** Where the server is, such as `https://parts.example.com`. */
  url: string;
  /** An API key, `ps_live_...`. */
  key: string;
  /** Another `fetch`, such as one with a proxy. */
  fetch?: (request: Request) => Promise<Response>;
};

/** An answer that is no success. */
export declare class PartsightError extends Error {
  readonly status: number;
  /** What programs go by, such as `limit-reached`. */
  readonly code: string;
  readonly problem: Partial<Schemas['Problem']>;
  /** How long the server asks to wait before the call is made again, if it says so. */
  readonly retryAfterSeconds: number | null;
}

/** Something that happened in the account. */
export type PartsightEvent = {
  /** Where the stream goes on: the `after` of the next call. */
  number: number;
  id: string;
  type: Schemas['EventKind'];
  timestamp: string;
  data: Record<string, unknown>;
};

export type Photo = Blob | Uint8Array<ArrayBuffer>;

export type ScanOptions = {
  vehicleId?: string;
  /** Whether the text is read before the answer, after it, or not at all. */
  read?: 'later' | 'wait' | 'off';
  /** Names this one scan, so that it can be sent again and counts once. */
  idempotencyKey?: string;
};

export declare class Partsight {
  /** Every call, typed by its path: `api.GET('/api/scans/{id}', { params: { path: { id } } })`. */
  readonly api: Client<paths>;
  /** Identifies the part on one to five photographs of it. */
  identify(photos: Photo | readonly Photo[], options?: ScanOptions): Promise<Schemas['ScanResult']>;
  /** Teaches a part of a category by one to five photographs. */
  teach(
    name: string,
    photos: readonly Photo[],
    fields: { category: Schemas['PartCategory']; acceptCollision?: 'true' },
  ): Promise<Schemas['TaughtPartType']>;
  /**
   * Makes a batch of photographs, each with its key, and starts it. Where an upload broke off, `batchId` of that batch
   * (`GET /api/batches` lists them) goes on with it: photographs that it has already are not added again.
   */
  startBatch(
    name: string,
    photos: Iterable<readonly [key: string, photo: Photo]>,
    options?: { batchId?: string },
  ): Promise<Schemas['Batch']>;
  /**
   * The batch once every photograph has its answer or the reason why not. Fails where it stops. Waits for a server that
   * is away or busy, until the time is over.
   */
  finished(batchId: string, options?: { timeoutMs?: number }): Promise<Schemas['Batch']>;
  /** The lines of the results of a batch. */
  results(batchId: string): Promise<Record<string, unknown>[]>;
  logRepair(repair: Schemas['NewRepair']): Promise<Schemas['SavedRepair']>;
  /**
   * What happens, after the event of number `after` or from now on. Goes on when a stream ends or breaks off, and waits
   * for a server that is away. Fails only where the first call fails, or the server refuses a later one.
   */
  events(options?: {
    after?: number;
    signal?: AbortSignal;
  }): AsyncGenerator<PartsightEvent, void>;
}

export declare function connect(options: ConnectOptions): Partsight;
