import { ApiError, isOverLimit, UnreachableError, waitNamed } from '@/api/api-error';

/** Why a scan gave no answer, in words for the person who made it. */
export type ScanFailure = {
  kind: 'not-identified' | 'limit-reached' | 'not-signed-in' | 'unreachable' | 'failed';
  message: string;
  /** What to do about it, where the message does not say so itself. */
  advice: string | null;
};

/** The photograph cannot be kept; the message says why and what to do. */
export class NotKeptError extends Error {
  override readonly name = 'NotKeptError';
}

const NOT_IDENTIFIED = "We couldn't identify this part. Try adjusting the lighting or angle.";

const NO_ANSWER = 'Failed to analyze image';

export const LIMIT_REACHED: ScanFailure = {
  kind: 'limit-reached',
  message:
    'Monthly scan limit exceeded. Please upgrade to Pro or Business plan for unlimited scans.',
  advice: null,
};

export const SIGN_IN_NEEDED: ScanFailure = {
  kind: 'not-signed-in',
  message: 'Please sign in to scan parts',
  advice: null,
};

/** The session ended, and the photos are nowhere but on this page: it must not go. */
export const SIGN_IN_BESIDE: ScanFailure = {
  ...SIGN_IN_NEEDED,
  advice:
    'This browser keeps nothing over a sign-in, so it would lose what you photographed. Sign in in another tab, then come back and try again.',
};

/** The error catalogue of identification (specification 1, section 8). */
export function failureOf(error: unknown): ScanFailure {
  if (error instanceof ApiError) return refusalOf(error);
  if (error instanceof UnreachableError) {
    const { cause } = error;
    // What a proxy said in the server's place.
    const message = cause instanceof ApiError ? refusalOf(cause).message : NO_ANSWER;
    return { kind: 'unreachable', message, advice: error.message };
  }
  const message = NO_ANSWER;
  if (error instanceof NotKeptError) return { kind: 'failed', message, advice: error.message };
  const advice = 'Try again. If it fails once more, reload the page.';
  return { kind: 'failed', message, advice };
}

function refusalOf(error: ApiError): ScanFailure {
  if (error.status === 401) return SIGN_IN_NEEDED;
  if (isOverLimit(error)) return LIMIT_REACHED;
  if (error.status === 422) {
    // A photo that cannot be read is refused with the same status: how to photograph is no help then.
    const kind = error.code === 'not-identified' ? 'not-identified' : 'failed';
    return { kind, message: error.detail || NOT_IDENTIFIED, advice: null };
  }
  return {
    kind: 'failed',
    // HTTP/2 has no reason phrases, and only the server's own problems have a title.
    message: error.statusText === '' ? NO_ANSWER : `Failed to identify part: ${error.statusText}`,
    advice: error.detail || waitNamed('Try again in a moment.', error.retryAfter),
  };
}
