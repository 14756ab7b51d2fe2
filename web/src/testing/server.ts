import { http, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { vi } from 'vitest';
import type { Schemas } from '@/api/client';
import { ada } from '@/testing/fixtures';

/** What the settings of a server say unless a test says otherwise. */
export const settings: Schemas['PublicSettings'] = {
  supportEmail: 'help@garage.example',
  legalEntity: 'Garage LLC',
  externalSignIn: false,
  payments: false,
  vinDecoder: false,
  recalls: false,
  mail: false,
  zeroEgress: false,
  batchFolders: false,
  stripePublishableKey: null,
  maxPhotoBytes: 25 * 1024 * 1024,
};

/** The network edge of the unit tests: each test says what the server answers to the rest. */
export const server = setupServer(
  http.get('/api/settings', () => HttpResponse.json(settings)),
  http.get('/health', () => HttpResponse.json({ status: 'ok' })),
  http.get('/api/auth/user', () => HttpResponse.json(ada)),
  // A server whose model no browser can run.
  http.get('/api/model', () => HttpResponse.json({ code: 'not-found' }, { status: 404 })),
  // A shop of one person.
  http.get('/api/company', () => HttpResponse.json(null)),
  // A garage without vehicles.
  http.get('/api/vehicles', () => HttpResponse.json([])),
  // A server that sends no notifications.
  http.get('/api/reminders/push', () => HttpResponse.json({ publicKey: null, subscriptions: [] })),
  // A shop that has not changed its grades.
  http.get('/api/grades/scale', () => HttpResponse.json({ grades: ['A', 'B', 'C'] })),
  // A batch whose photos show no part.
  http.get('/api/batches/:id/types', () => HttpResponse.json({ types: [] })),
  // A shop in which nothing looks like a scan.
  http.get('/api/scans/:id/similar-parts', () => HttpResponse.json([])),
  // A server that reads no text.
  http.get('/api/scans/:id/reading', () =>
    HttpResponse.json({ state: 'off', lines: [], parts: [], readAt: null }),
  ),
);

/** Answers `method path` with `body`. */
export function answer(
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  body: Schemas[keyof Schemas] | Schemas[keyof Schemas][] | null,
  status = 200,
): void {
  server.use(http[method](path, () => HttpResponse.json(body, { status })));
}

/** Answers `method path` as `answer` does, without a body by itself, and notes the JSON that it was sent. */
export function note(
  method: 'post' | 'put' | 'delete',
  path: string,
  body: object | null = null,
  status = body === null ? 204 : 200,
) {
  const sent = vi.fn<(body: unknown) => void>();
  server.use(
    http[method](path, async ({ request }) => {
      const text = await request.text();
      sent(text === '' ? null : JSON.parse(text));
      return body === null
        ? new HttpResponse(null, { status })
        : HttpResponse.json(body, { status });
    }),
  );
  return sent;
}

/** Answers a POST as `answer` does, and notes the form that it was sent. */
export function noteForm(path: string, body: object, status = 201) {
  const sent = vi.fn<(form: FormData) => void>();
  server.use(
    http.post(path, async ({ request }) => {
      sent(await request.formData());
      return HttpResponse.json(body, { status });
    }),
  );
  return sent;
}

/** Does what a POST asks for, but loses the first answer on its way; notes the keys that it was sent under. */
export function loseFirst(path: string, body: object): string[] {
  const keys: string[] = [];
  server.use(
    http.post(path, ({ request }) => {
      // Without one, it is another call each time.
      keys.push(request.headers.get('Idempotency-Key') ?? `none ${keys.length}`);
      return keys.length === 1 ? HttpResponse.error() : HttpResponse.json(body, { status: 201 });
    }),
  );
  return keys;
}

/** The refusal of a person whose session is over. */
export const SIGNED_OUT = { status: 401, detail: 'Unauthorized' };

/** What the server says of a refusal that has no code of its own. */
const CODES: Record<number, string> = {
  401: 'not-signed-in',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  422: 'invalid',
  500: 'internal',
  503: 'busy',
};

type Refused = Pick<Schemas['Problem'], 'status' | 'detail'> &
  Partial<Pick<Schemas['Problem'], 'code' | 'title' | 'field'>>;

/** Refuses `method path` the way the server does; with `after`, once that has come. */
export function refuse(
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  problem: Refused,
  after?: Promise<void>,
): void {
  const code = problem.code ?? CODES[problem.status] ?? 'internal';
  const body = { title: code, type: 'about:blank', requestId: 'r', ...problem, code };
  server.use(
    http[method](path, async () => {
      await after;
      return HttpResponse.json(
        { ...body, message: problem.detail },
        { status: problem.status, headers: { 'content-type': 'application/problem+json' } },
      );
    }),
  );
}

/** Refuses as `refuse` does, once what this returns is called: until then the server takes its time. */
export function refuseLater(
  method: 'get' | 'post' | 'put' | 'delete',
  path: string,
  problem: Refused,
): () => void {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  refuse(method, path, problem, ended);
  return end;
}
