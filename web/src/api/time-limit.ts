import { UnreachableError } from '@/api/api-error';

/**
 * Ends a call that has no answer after `ms`, as one that found no server: where packets are lost, the browser waits for
 * minutes. After `AbortSignal.timeout` some browsers say the same as after a call that its caller gave up.
 */
export function timeLimit(ms: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(new UnreachableError(new Error(`No answer in ${ms} ms.`))), ms);
  return limit.signal;
}
