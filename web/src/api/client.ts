import createClient from 'openapi-fetch';
import { ApiError, isOfProxy, UnreachableError } from '@/api/api-error';
import type { components, paths } from 'partsight-client/schema';
import { hasUnsavedWork } from '@/lib/unsaved-work';

export type Schemas = components['schemas'];

/**
 * The one client of the server. Every call sends the session cookie; an answer that is not a
 * success is thrown as `ApiError`. It raises no toasts and does not navigate: screens decide.
 */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
  // Looked up at each call, so that tests may put their own network in its place.
  fetch: (request) => fetch(request),
});

client.use({
  async onResponse({ response }) {
    if (response.ok) return;
    const error = await ApiError.from(response);
    throw isOfProxy(error) ? new UnreachableError(error) : error;
  },
  onError({ error }) {
    return isAbort(error) ? asError(error) : new UnreachableError(error);
  },
});

/**
 * Unwraps a read. A 401 means "not signed in", which on a read is no data and no failure.
 *
 * While something typed is on screen it is a failure all the same: one that a screen with data shows
 * nothing of, where the lack of data would take the form away with all that is in it. Saving it then
 * says that the session ended, and the form keeps what it holds.
 */
export async function read<Data>(
  call: Promise<{ data?: Data }>,
): Promise<NonNullable<Data> | null> {
  try {
    const { data } = await wholeOf(call);
    return data ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && !hasUnsavedWork()) return null;
    throw error;
  }
}

/** Unwraps a call that always answers with a body. */
export async function bodyOf<Data>(call: Promise<{ data?: Data }>): Promise<Data> {
  const { data } = await wholeOf(call);
  if (data === undefined) throw new Error('the answer has no body');
  return data;
}

/** An answer that is cut off, or that is none of the server's, is as none. */
async function wholeOf<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const isKnown = error instanceof ApiError || error instanceof UnreachableError;
    throw isKnown || isAbort(error) ? error : new UnreachableError(error);
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
