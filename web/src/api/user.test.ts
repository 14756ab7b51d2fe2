import { http, HttpResponse } from 'msw';
import { expect, it, vi } from 'vitest';
import { UnreachableError } from '@/api/api-error';
import { createQueryClient } from '@/api/query-client';
import { userQuery } from '@/api/user';
import { ada } from '@/testing/fixtures';
import { server } from '@/testing/server';

/** A server that tells whether a visitor may be answered without an error. */
function noteQuestions(isSignedIn: () => boolean) {
  const questions: (string | null)[] = [];
  server.use(
    http.get('/api/auth/user', ({ request }) => {
      const optional = new URL(request.url).searchParams.get('optional');
      questions.push(optional);
      if (isSignedIn()) return HttpResponse.json(ada);
      return new HttpResponse(null, { status: optional === 'true' ? 204 : 401 });
    }),
  );
  return questions;
}

it('asks for a visitor without an error in the console', async () => {
  const questions = noteQuestions(() => false);
  const queryClient = createQueryClient();
  expect(await queryClient.query(userQuery())).toBeNull();
  expect(await queryClient.query(userQuery())).toBeNull();
  expect(questions).toEqual(['true', 'true']);
});

it('hears as a 401 that the session of somebody ended', async () => {
  let signedIn = true;
  const questions = noteQuestions(() => signedIn);
  const queryClient = createQueryClient();
  expect(await queryClient.query({ ...userQuery(), gcTime: Infinity })).toEqual(ada);
  signedIn = false;
  expect(await queryClient.query(userQuery())).toBeNull();
  expect(questions).toEqual(['true', null]);
});

it('finds no server where packets are lost', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  server.use(http.get('/api/auth/user', () => new Promise<never>(() => undefined)));
  const failure = createQueryClient()
    .query(userQuery())
    .catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(8000);
  expect(await failure).toBeInstanceOf(UnreachableError);
});
