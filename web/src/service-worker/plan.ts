/** The files that a build put into its worker; see `vite.precache.ts`. */
export type Precache = {
  /** Changes whenever any of the files does. */
  version: string;
  /** What every screen needs, fetched when the worker is installed. */
  shell: string[];
  /** Large files that only the camera needs, kept once they were used. */
  onDemand: string[];
};

/** What a page tells a worker that waits, so that it follows the one before; its port is told of a refusal. */
export type PageMessage = 'take-over';

/** What the worker asks every page before that; its port takes the answer, true or false. */
export type WorkerMessage = 'is-in-the-middle';

/** What the worker does about one request. */
type Plan =
  /** Leave it to the browser. */
  | 'pass'
  /** A page: from the server, and without it from the shell. */
  | 'page'
  /** A file of the shell. */
  | 'shell'
  /** A file that never changes under its address: kept from its first use on. */
  | 'keep'
  /** The facts of the model: from the server, and without it as they were last. */
  | 'model-facts';

/** The one page whose server answer has a content policy of its own: the shell cannot stand in. */
const CHECKOUT = '/subscribe';

/** What is asked of the server itself, opened in a browser: the shell would hide the answer, also that it is not ready. */
const OPERATIONS = ['/health', '/ready', '/metrics'];

/**
 * Nothing under `/api` is kept but the model, which is everybody's: its facts, for guesses without
 * a server, and its file, whose address is its hash.
 */
export function planFor(
  { method, mode, url }: Pick<Request, 'method' | 'mode' | 'url'>,
  origin: string,
  { shell, onDemand }: Precache,
): Plan {
  const address = new URL(url);
  if (method !== 'GET' || address.origin !== origin) return 'pass';
  const { pathname } = address;
  if (pathname === '/api/model') return 'model-facts';
  if (/^\/api\/model\/[0-9a-f]+$/.test(pathname)) return 'keep';
  // Before pages: what is opened under /api is the server's to answer, and never the shell's.
  if (pathname === '/api' || pathname.startsWith('/api/')) return 'pass';
  if (OPERATIONS.includes(pathname)) return 'pass';
  if (mode === 'navigate') return pathname === CHECKOUT ? 'pass' : 'page';
  if (shell.includes(pathname)) return 'shell';
  return onDemand.includes(pathname) ? 'keep' : 'pass';
}

/** Whether a proxy says by itself that it finds no server: every error that the server answers to a call is a problem. */
export function isOfProxy({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const isProblem = headers.get('Content-Type') === 'application/problem+json';
  return (status === 404 || status > 500) && !isProblem;
}

/** Whether a kept file is still of use to this build, after `added` was kept as well. */
export function isStillUsed(url: string, added: string | null, { onDemand }: Precache): boolean {
  const { pathname } = new URL(url);
  if (!pathname.startsWith('/api/model/'))
    return pathname === '/api/model' || onDemand.includes(pathname);
  // One model is in use at a time.
  return added === null || !new URL(added).pathname.startsWith('/api/model/') || url === added;
}
