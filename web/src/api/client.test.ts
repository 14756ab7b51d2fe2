import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { ApiError, isSignedOut, sentenceOf, UnreachableError } from '@/api/api-error';
import { client, isAbort, read, bodyOf } from '@/api/client';
import { holdUnsavedWork } from '@/lib/unsaved-work';
import { ada } from '@/testing/fixtures';
import { answer, refuse, server, SIGNED_OUT } from '@/testing/server';

const user = () => client.GET('/api/auth/user');

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );
}

it('returns the body of a success', async () => {
  answer('get', '/api/auth/user', ada);
  expect(await read(user())).toEqual(ada);
});

it('reads 401 as no data', async () => {
  refuse('get', '/api/auth/user', SIGNED_OUT);
  expect(await read(user())).toBeNull();
});

it('throws a 401 on a bodyOf, recognised as signed out', async () => {
  refuse('get', '/api/auth/user', SIGNED_OUT);
  expect(isSignedOut(await failureOf(bodyOf(user())))).toBe(true);
});

it('keeps status, code and detail, and bodyOfs the message as the specification has it', async () => {
  server.use(
    http.get('/api/auth/user', () =>
      HttpResponse.text('{"code":"busy","detail":"Wait a moment."}', { status: 503 }),
    ),
  );
  const error = await failureOf(read(user()));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 503,
    code: 'busy',
    detail: 'Wait a moment.',
    message: '503: {"code":"busy","detail":"Wait a moment."}',
  });
  expect(sentenceOf(error, 'fallback')).toBe('Wait a moment.');
});

it('falls back to the status text when the body is empty', async () => {
  server.use(
    http.get(
      '/api/auth/user',
      () => new HttpResponse(null, { status: 500, statusText: 'Internal Server Error' }),
    ),
  );
  const error = await failureOf(read(user()));
  expect(error).toMatchObject({ message: '500: Internal Server Error' });
  expect(sentenceOf(error, 'fallback')).toBe('fallback');
});

it('says that the server cannot be reached', async () => {
  server.use(http.get('/api/auth/user', () => HttpResponse.error()));
  expect(await failureOf(read(user()))).toBeInstanceOf(UnreachableError);
});

it.each([
  [502, 'Bad Gateway', '<h1>502 Bad Gateway</h1>'],
  [503, 'Service Unavailable', 'no available server'],
  [404, 'Not Found', '404 page not found'],
])('takes the %i of a proxy for no answer of the server', async (status, statusText, body) => {
  server.use(http.get('/api/auth/user', () => HttpResponse.text(body, { status, statusText })));
  const error = await failureOf(read(user()));
  expect(error).toBeInstanceOf(UnreachableError);
  // Screens have a sentence for an answer without one.
  expect(sentenceOf(error, 'fallback')).toBe('fallback');
});

it.each([
  ['404', 404, '{"code":"not-found","detail":"Gone."}', 'Gone.'],
  ['refusal of a proxy', 413, '<h1>413 Request Entity Too Large</h1>', 'fallback'],
])('takes a %s for an answer', async (_, status, body, sentence) => {
  server.use(http.get('/api/auth/user', () => HttpResponse.text(body, { status })));
  const error = await failureOf(read(user()));
  expect(error).toBeInstanceOf(ApiError);
  expect(sentenceOf(error, 'fallback')).toBe(sentence);
});

it.each([
  ['is cut off', () => cutOff()],
  ['is a page of somebody else', () => HttpResponse.text('<h1>Welcome to our Wi-Fi</h1>')],
])('takes an answer that %s for none', async (_, reply) => {
  server.use(http.get('/api/auth/user', reply));
  expect(await failureOf(read(user()))).toBeInstanceOf(UnreachableError);
  expect(await failureOf(bodyOf(user()))).toBeInstanceOf(UnreachableError);
});

function cutOff() {
  const body = new ReadableStream<Uint8Array>({
    start(part) {
      part.enqueue(new TextEncoder().encode('{'));
      part.error(new TypeError('terminated'));
    },
  });
  return new HttpResponse(body);
}

it('lets an abort through as an abort', async () => {
  server.use(http.get('/api/auth/user', () => new Promise<never>(() => undefined)));
  const request = new AbortController();
  const call = failureOf(read(client.GET('/api/auth/user', { signal: request.signal })));
  request.abort();
  expect(isAbort(await call)).toBe(true);
});

it.each([
  ['5', 'Try again in 5 seconds.'],
  ['1', 'Try again in 1 second.'],
  ['600', 'Try again in 10 minutes.'],
  ['Sun, 22 Nov 2026 12:00:30 GMT', 'Try again in 30 seconds.'],
  // A moment that is over.
  ['Sun, 22 Nov 2026 11:00:00 GMT', 'Try again in 1 second.'],
  ['soon', 'Try again in a few seconds.'],
])('names the wait of Retry-After: %s', async (header, sentence) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T12:00:00Z') });
  server.use(
    http.get('/api/auth/user', () =>
      HttpResponse.json(
        { code: 'busy', detail: 'Try again in a few seconds.' },
        { status: 503, headers: { 'Retry-After': header } },
      ),
    ),
  );
  expect(sentenceOf(await failureOf(read(user())), '')).toBe(sentence);
  vi.useRealTimers();
});

it('is told of a 401 while something typed is on screen, which data gone would take away', async () => {
  refuse('get', '/api/auth/user', SIGNED_OUT);
  const done = holdUnsavedWork();
  expect(isSignedOut(await failureOf(read(user())))).toBe(true);
  done();
  expect(await read(user())).toBeNull();
});
