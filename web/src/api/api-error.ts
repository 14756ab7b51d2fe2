import type { components } from '@/api/schema.gen';

type Problem = components['schemas']['Problem'];

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
  ) {
    super(`${status}: ${bodyText === '' ? statusText : bodyText}`);
  }

  static async from(response: Response): Promise<ApiError> {
    const bodyText = await response.text();
    const problem = parseProblem(bodyText);
    return new ApiError(
      response.status,
      response.statusText || (problem.title ?? ''),
      problem.code ?? 'unknown',
      problem.detail ?? problem.message ?? '',
      problem.field ?? null,
      bodyText,
    );
  }
}

/** The request never got an answer: the server is down or the network is. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(cause: unknown) {
    super('The server cannot be reached. Check that it is running and try again.', { cause });
  }
}

/** True where the specification treats a failure as "logged out" (section 8). */
export function isSignedOut(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status === 401 && error.message.includes('Unauthorized')
  );
}

/** The sentence to show for `error`: the server's own, else `fallback`. */
export function sentenceOf(error: unknown, fallback: string): string {
  if (error instanceof ApiError && error.detail !== '') return error.detail;
  if (error instanceof UnreachableError) return error.message;
  return fallback;
}

function parseProblem(bodyText: string): Partial<Problem> {
  try {
    const body: unknown = JSON.parse(bodyText);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
