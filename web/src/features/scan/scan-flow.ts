import { ApiError, UnreachableError } from '@/api/api-error';
import type { Photo } from '@/lib/photos/photo';
import type { ScanView } from '@/features/scan/scan-view';
import { NotKeptError } from '@/features/scan/waiting/store';
import type { WaitingScan } from '@/features/scan/waiting/waiting-scan';

/** Why a scan gave no answer, in words for the person who made it. */
export type ScanFailure = {
  kind: 'not-identified' | 'limit-reached' | 'not-signed-in' | 'unreachable' | 'failed';
  message: string;
  /** What to do about it, where the message does not say so itself. */
  advice: string | null;
};

/**
 * One scan from photo to answer. `attempt` ties an answer to the question: what arrives for an
 * attempt that was cancelled or overtaken changes nothing. `here` is a scan without a server: the photo
 * is kept in this browser, which guesses by itself.
 */
export type ScanFlow =
  | { state: 'idle'; attempt: number; offered: Photo | null }
  | { state: 'analysing'; attempt: number; photo: Photo; here: boolean }
  | { state: 'result'; attempt: number; view: ScanView; photo: Photo | null }
  | { state: 'kept'; attempt: number; photo: Photo; scan: WaitingScan }
  | { state: 'failed'; attempt: number; photo: Photo; failure: ScanFailure };

export type ScanEvent =
  | { type: 'submitted'; attempt: number; photo: Photo; here: boolean }
  | { type: 'answered'; attempt: number; view: ScanView }
  | { type: 'kept'; attempt: number; scan: WaitingScan }
  | { type: 'failed'; attempt: number; failure: ScanFailure }
  | { type: 'refused'; photo: Photo; failure: ScanFailure }
  | { type: 'cancelled' }
  | { type: 'retried' }
  | { type: 'closed' }
  | { type: 'reopened'; view: ScanView };

export const IDLE: ScanFlow = { state: 'idle', attempt: 0, offered: null };

export function scanFlow(flow: ScanFlow, event: ScanEvent): ScanFlow {
  const { attempt } = flow;
  switch (event.type) {
    case 'submitted':
      return {
        state: 'analysing',
        attempt: event.attempt,
        photo: event.photo,
        here: event.here,
      };
    case 'answered':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'result', attempt, view: event.view, photo: flow.photo }
        : flow;
    case 'kept':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'kept', attempt, photo: flow.photo, scan: event.scan }
        : flow;
    case 'failed':
      return flow.state === 'analysing' && event.attempt === attempt
        ? { state: 'failed', attempt, photo: flow.photo, failure: event.failure }
        : flow;
    case 'refused':
      return { state: 'failed', attempt, photo: event.photo, failure: event.failure };
    case 'cancelled':
      // A photo that is kept is not lost, and offering it again would send it twice.
      return flow.state === 'analysing'
        ? { state: 'idle', attempt, offered: flow.here ? null : flow.photo }
        : flow;
    case 'retried':
      return flow.state === 'failed' ? { state: 'idle', attempt, offered: flow.photo } : flow;
    case 'closed':
      return { state: 'idle', attempt, offered: null };
    case 'reopened':
      return { state: 'result', attempt, view: event.view, photo: null };
  }
}

const NOT_IDENTIFIED = "We couldn't identify this part. Try adjusting the lighting or angle.";

export const LIMIT_REACHED: ScanFailure = {
  kind: 'limit-reached',
  message:
    'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
  advice: null,
};

/** The error catalogue of identification (specification 1, section 8). */
export function failureOf(error: unknown): ScanFailure {
  if (error instanceof ApiError) return refusalOf(error);
  const message = 'Failed to analyze image';
  if (error instanceof UnreachableError || error instanceof NotKeptError) {
    const kind = error instanceof UnreachableError ? 'unreachable' : 'failed';
    return { kind, message, advice: error.message };
  }
  const advice = 'Try again. If it fails once more, load the page anew.';
  return { kind: 'failed', message, advice };
}

function refusalOf(error: ApiError): ScanFailure {
  if (error.status === 401) {
    return { kind: 'not-signed-in', message: 'Please sign in to scan parts', advice: null };
  }
  if (error.status === 429 || error.message.includes('limit exceeded')) return LIMIT_REACHED;
  if (error.status === 422) {
    return { kind: 'not-identified', message: error.detail || NOT_IDENTIFIED, advice: null };
  }
  return {
    kind: 'failed',
    message: `Failed to identify part: ${error.statusText}`,
    advice: error.detail || 'Try again in a moment.',
  };
}
