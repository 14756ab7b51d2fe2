import { describe, expect, it } from 'vitest';
import { ApiError, UnreachableError } from '@/api/api-error';
import { failureOf, LIMIT_REACHED } from '@/features/scanning/scan-failure';

describe('failureOf', () => {
  const refusal = (status: number, statusText: string, detail: string, body = '', code = 'code') =>
    new ApiError(status, statusText, code, detail, null, body);

  it.each([
    [
      'signed out',
      refusal(401, 'Unauthorized', 'Unauthorized'),
      'not-signed-in',
      'Please sign in to scan parts',
    ],
    [
      'allowance used up',
      refusal(429, 'Too Many Requests', ''),
      'limit-reached',
      LIMIT_REACHED.message,
    ],
    [
      'a body that says so',
      refusal(403, 'Forbidden', '', 'scan limit exceeded'),
      'limit-reached',
      LIMIT_REACHED.message,
    ],
    [
      'the sentence of a 422',
      refusal(422, '', 'Hold still.', '', 'not-identified'),
      'not-identified',
      'Hold still.',
    ],
    [
      'a file that cannot be read',
      refusal(422, '', 'The image is damaged.', '', 'invalid'),
      'failed',
      'The image is damaged.',
    ],
    [
      'a 422 without one',
      refusal(422, '', '', '', 'not-identified'),
      'not-identified',
      "We couldn't identify this part. Try adjusting the lighting or angle.",
    ],
    [
      'any other status',
      refusal(503, 'Service Unavailable', 'Busy.'),
      'failed',
      'Failed to identify part: Service Unavailable',
    ],
    ['no answer', new UnreachableError(new TypeError()), 'unreachable', 'Failed to analyze image'],
    [
      'the answer of a proxy',
      new UnreachableError(refusal(502, 'Bad Gateway', '')),
      'unreachable',
      'Failed to identify part: Bad Gateway',
    ],
    [
      'one without a reason',
      new UnreachableError(refusal(502, '', '')),
      'unreachable',
      'Failed to analyze image',
    ],
    ['anything else', new Error('x'), 'failed', 'Failed to analyze image'],
  ])('%s', (_, error, kind, message) => {
    expect(failureOf(error)).toMatchObject({ kind, message });
  });
});
