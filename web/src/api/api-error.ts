import type { components } from 'partsight-client/schema';
import { countOf } from '@/lib/format';

type Problem = components['schemas']['Problem'];
/** The part that a photograph to be taught looks like. */
export type ResembledPart = components['schemas']['ResembledPart'];

const UNKNOWN = 'unknown';

/**
 * An answer of the server that is not a success.
 *
 * `message` is `"{status}: {body text}"` as the specification wants it (section 8); it is made for
 * logs. Screens show `detail`, the plain sentence.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    /** Reason phrase of the status; HTTP/2 sends none, then it is the problem's title. */
    readonly statusText: string,
    readonly code: string,
    readonly detail: string,
    /** The input field that the server refused, if it named one. */
    readonly field: string | null,
    bodyText: string,
    /** Seconds after which the server asks to be tried again (`Retry-After`); null where it names none. */
    readonly retryAfter: number | null = null,
    /** The part that a photo looks like, where that is the question. */
    readonly resembles: ResembledPart | null = null,
  ) {
    super(`${status}: ${bodyText === '' ? statusText : bodyText}`);
  }

  static async from(response: Response): Promise<ApiError> {
    const bodyText = await response.text();
    const problem = parseProblem(bodyText);
    const retryAfter = retryAfterOf(response.headers.get('Retry-After'));
    return new ApiError(
      response.status,
      response.statusText || (problem.title ?? ''),
      problem.code ?? UNKNOWN,
      waitNamed(problem.detail ?? problem.message ?? '', retryAfter),
      problem.field ?? null,
      bodyText,
      retryAfter,
      problem.resembles ?? null,
    );
  }
}

/** The request got no answer of the server: it is down, which a proxy before it may say in its place, or the network is. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(cause: unknown) {
    super('The server cannot be reached. Check that it is running and try again.', { cause });
  }
}

/** True where a proxy says by itself that it finds no server: every error of the server has a code. */
export function isOfProxy({ status, code }: ApiError): boolean {
  return code === UNKNOWN && (status === 404 || status > 500);
}

/** True where the specification treats a failure as "logged out" (section 8). */
export function isSignedOut(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 401 && error.message.includes('Unauthorized')
  );
}

/** True where the specification treats a failure as a lack of scans (section 8). */
export function isOverLimit(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.status === 429 || error.message.includes('limit exceeded'))
  );
}

/** True where a request was made of what is so no longer: a right that was lost, a thing that is gone or was changed. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && [403, 404, 409].includes(error.status);
}

/** The sentence to show for `error`: the server's own, else `fallback`. */
export function sentenceOf(error: unknown, fallback: string): string {
  if (error instanceof ApiError && error.detail !== '') return error.detail;
  // An answer without a sentence, also a proxy's, has that of the screen (specification 1, section 8).
  if (error instanceof UnreachableError && !(error.cause instanceof ApiError)) return error.message;
  return fallback;
}

/** `text` with the seconds or minutes to wait in place of "a few seconds", where they are known. */
export function waitNamed(text: string, seconds: number | null): string {
  if (seconds === null) return text;
  const wait =
    seconds < 120 ? countOf(seconds, 'second') : countOf(Math.ceil(seconds / 60), 'minute');
  return text.replace(/a (?:few (?:seconds|minutes)|moment)/, wait);
}

/** The header says seconds, or the moment itself (RFC 9110, section 10.2.3). */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : null;
}

function parseProblem(bodyText: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(bodyText);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
