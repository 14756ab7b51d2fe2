import type { Route } from '@playwright/test';
import type { Schemas } from '@/api/client';
import { expect, type App } from './fixtures';

/** Calls that fail, and what the screens say of them. */

type Answer = NonNullable<Parameters<Route['fulfill']>[0]>;

/** What a proxy says by itself while the server behind it is away: no problem, and no sentence to show. */
const BAD_GATEWAY: Answer = {
  status: 502,
  contentType: 'text/html',
  body: '<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>',
};

/** A failure as the server words it; `BUSY` and `INTERNAL` are the two that any call can have. */
export const problem = (
  { status, code, title, detail }: Pick<Schemas['Problem'], 'status' | 'code' | 'title' | 'detail'>,
  headers: Record<string, string> = {},
): Answer => ({
  status,
  headers: { ...headers, 'content-type': 'application/problem+json' },
  body: JSON.stringify({
    type: `urn:partsight:${code}`,
    title,
    status,
    detail,
    code,
    message: detail,
    requestId: '01890a5d-ac96-774b-bcce-b302099a8057',
  } satisfies Schemas['Problem']),
});

export const INTERNAL = problem({
  status: 500,
  code: 'internal',
  title: 'Internal error',
  detail:
    'Something went wrong on our side. Please try again; if it happens again, contact support.',
});

export const BUSY = problem(
  {
    status: 503,
    code: 'busy',
    title: 'Service unavailable',
    detail: 'The server is busy. Please try again in a few seconds.',
  },
  { 'retry-after': '7' },
);

/** Lets each call of `method` to `path` fail, until what it returns is called. */
export async function fail(
  { page }: App,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  answer: Answer = BAD_GATEWAY,
): Promise<() => Promise<void>> {
  const handler = (route: Route) =>
    route.request().method() === method ? route.fulfill(answer) : route.fallback();
  await page.route(path, handler);
  return () => page.unroute(path, handler);
}

/** The toast says exactly this. It is dismissed, so that the next one is another. */
export async function expectToast({ page }: App, title: string, sentence: string) {
  // An open dialog hides what is around it from the tree of roles.
  const toast = page
    .getByRole('region', { name: /^Notifications/, includeHidden: true })
    .locator('li')
    .filter({ has: page.getByText(title, { exact: true }) })
    .filter({ has: page.getByText(sentence, { exact: true }) });
  await expect(toast).toBeVisible();
  // It goes by itself after five seconds, which may be now.
  await toast
    .getByRole('button', { name: 'Dismiss', includeHidden: true })
    .click({ timeout: 6000 })
    .catch(() => undefined);
  await expect(toast).toHaveCount(0);
}
