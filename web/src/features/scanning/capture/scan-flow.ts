import type { Photo } from '@/lib/photos/photo';
import type { ScanFailure } from '@/features/scanning/scan-failure';
import type { ScanView } from '@/features/scanning/result/scan-view';
import type { WaitingScan } from '@/features/scanning/offline-queue/waiting-scan';

/** A scan takes so many photos of one part, as the server has it. */
export const MAX_PHOTOS = 5;
/** The server's sentence for more, said before anything is sent. */
export const TOO_MANY_PHOTOS =
  'A scan takes at most 5 photos of one part. Please choose the best ones.';

/**
 * One scan from photos to answer. `attempt` ties an answer to the question: what arrives for an
 * attempt that was cancelled or overtaken changes nothing. `here` is a scan without a server: the
 * photos are kept in this browser, which guesses by itself. One photo is sent as it is taken; only
 * several of one part are gathered first.
 */
export type ScanFlow =
  /** `closed` is the answer that was open just before. */
  | { state: 'idle'; attempt: number; offered: Photo | null; closed?: Answer }
  | { state: 'gathering'; attempt: number; photos: Photo[] }
  | { state: 'analysing'; attempt: number; photos: Photo[]; here: boolean }
  | Answer
  | { state: 'failed'; attempt: number; photos: Photo[]; failure: ScanFailure };

type Answer =
  | { state: 'result'; attempt: number; view: ScanView; photos: Photo[] }
  | { state: 'kept'; attempt: number; photos: Photo[]; scan: WaitingScan };

export type ScanEvent =
  /** A photo that waits for an answer is to be joined by others of the same part. */
  | { type: 'opened' }
  | { type: 'added'; photos: Photo[] }
  | { type: 'removed'; index: number }
  | { type: 'cropped'; index: number; photo: Photo }
  /** A photo that was to be sent is neither cropped nor sent. */
  | { type: 'handed-back'; photo: Photo }
  /** No others are to join. */
  | { type: 'settled' }
  | { type: 'submitted'; attempt: number; photos: Photo[]; here: boolean }
  | { type: 'answered'; attempt: number; view: ScanView }
  | { type: 'kept'; attempt: number; scan: WaitingScan }
  | { type: 'failed'; attempt: number; failure: ScanFailure }
  | { type: 'cancelled' }
  | { type: 'retried' }
  | { type: 'closed' }
  /** The answer that was closed just before is wanted again. */
  | { type: 'shown-again' }
  | { type: 'reopened'; view: ScanView };

export const IDLE: ScanFlow = { state: 'idle', attempt: 0, offered: null };

export function scanFlow(flow: ScanFlow, event: ScanEvent): ScanFlow {
  const { attempt } = flow;
  switch (event.type) {
    case 'opened':
      return { state: 'gathering', attempt, photos: photosAtHand(flow) };
    case 'added': {
      // What is under way has the dialog's Cancel; nothing may end it unseen.
      if (flow.state === 'analysing') return flow;
      const before = flow.state === 'gathering' ? flow.photos : [];
      const photos = [...before, ...event.photos].slice(0, MAX_PHOTOS);
      return { state: 'gathering', attempt, photos };
    }
    case 'removed':
      return flow.state === 'gathering'
        ? { ...flow, photos: flow.photos.filter((_, index) => index !== event.index) }
        : flow;
    case 'cropped':
      return flow.state === 'gathering'
        ? { ...flow, photos: replaced(flow.photos, event.index, event.photo) }
        : flow;
    case 'handed-back':
      // An answer that is open stays: the photo may be its own.
      return flow.state === 'idle' ? offering(attempt, [event.photo]) : flow;
    case 'settled':
      return flow.state === 'gathering' ? offering(attempt, flow.photos) : flow;
    case 'submitted':
      return {
        state: 'analysing',
        attempt: event.attempt,
        photos: event.photos,
        here: event.here,
      };
    case 'answered':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'result', attempt, view: event.view, photos: flow.photos }
        : flow;
    case 'kept':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'kept', attempt, photos: flow.photos, scan: event.scan }
        : flow;
    case 'failed':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'failed', attempt, photos: flow.photos, failure: event.failure }
        : flow;
    case 'cancelled':
      // A photo that is kept is not lost, and offering it again would send it twice.
      return flow.state === 'analysing' ? offering(attempt, flow.here ? [] : flow.photos) : flow;
    case 'retried':
      return flow.state === 'failed' ? offering(attempt, flow.photos) : flow;
    case 'closed':
      if (flow.state === 'result' || flow.state === 'kept') {
        return { state: 'idle', attempt, offered: null, closed: flow };
      }
      // Closing a failure is no wish to take the photos anew; without a scan left they are of no use.
      return offering(
        attempt,
        flow.state === 'failed' && flow.failure.kind !== 'limit-reached' ? flow.photos : [],
      );
    case 'shown-again':
      return flow.state === 'idle' && flow.closed !== undefined ? flow.closed : flow;
    case 'reopened':
      return { state: 'result', attempt, view: event.view, photos: [] };
  }
}

/** Offers photos to be sent again: one as it is, several to be looked through. */
function offering(attempt: number, photos: Photo[]): ScanFlow {
  return photos.length > 1
    ? { state: 'gathering', attempt, photos }
    : { state: 'idle', attempt, offered: photos[0] ?? null };
}

function replaced(photos: Photo[], index: number, by: Photo): Photo[] {
  return photos.map((photo, at) => (at === index ? by : photo));
}

function photosAtHand(flow: ScanFlow): Photo[] {
  if (flow.state === 'idle') return flow.offered === null ? [] : [flow.offered];
  // Answered, the next ones may be of another part; what is kept is sent by itself.
  return flow.state === 'result' || flow.state === 'kept' ? [] : flow.photos;
}

/** Whether photographs are at hand that no scan has and that are kept nowhere else. */
export function holdsPhotos(flow: ScanFlow): boolean {
  return photosAtHand(flow).length > 0;
}

/** What is said while photos are looked at. */
export function analysingText(nPhotos: number, here: boolean): string {
  return here
    ? `No connection to the server. ${nPhotos > 1 ? 'The photos are' : 'The photo is'} kept, and this browser guesses by itself.`
    : 'Using AI to identify your car part';
}

/** What ends that early. */
export function cancelText(here: boolean): string {
  return here ? 'Skip the Guess' : 'Cancel';
}
