/// <reference lib="webworker" />
import { noticeOf, pageOf } from '@/service-worker/notice';
import {
  isOfProxy,
  isStillUsed,
  planFor,
  type PageMessage,
  type Precache,
  type WorkerMessage,
} from '@/service-worker/plan';

/**
 * The service worker: the app opens without a server, the model is kept in the browser, and reminders are shown.
 *
 * Pages come from the server first, so that nobody works on an old version with a new server; the
 * shell stands in where the server cannot be reached, or takes too long.
 */
declare const self: ServiceWorkerGlobalScope;

/** Put in by the build. */
declare const __PRECACHE__: Precache;
const precache = __PRECACHE__;

const SHELL_CACHE = `shell-${precache.version}`;
/** Outlives a version: the model and its runtime are large and rarely change. */
const KEPT_CACHE = 'kept-1';

/** How long the server may take before what is kept stands in for its answer, in ms. */
const SERVER_MS = 5000;

/** How long a page may take to say whether it is in the middle of something, in ms. */
const ANSWER_MS = 1000;

// It does not take over by itself: open pages still load files of the version before. A page that is
// idle lets it in (`register.ts`), once no other is in the middle of something.
self.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(SHELL_CACHE).then((cache) => cache.addAll(precache.shell.map(requestOf))),
  );
});

// Claimed, so that the page that brought the first worker ever keeps the model at once, and not
// only after a reload.
self.addEventListener('activate', (event) =>
  event.waitUntil(tidyUp().then(() => self.clients.claim())),
);

self.addEventListener('message', (event) => {
  const message: PageMessage = 'take-over';
  if (event.data === message) event.waitUntil(takeOver(event.ports[0]));
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  switch (planFor(request, self.location.origin, precache)) {
    case 'page':
      event.respondWith(page(request));
      break;
    case 'shell':
      event.respondWith(fromShell(request));
      break;
    case 'keep':
      event.respondWith(kept(request));
      break;
    case 'model-facts':
      event.respondWith(modelFacts(event));
      break;
    case 'pass':
  }
});

self.addEventListener('push', (event) => {
  const { title, options } = noticeOf(event.data?.text());
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(show(pageOf(event.notification.data, self.location.origin)));
});

/** Follows the worker before, unless a page would be left in the middle of something without its files. */
async function takeOver(asker: MessagePort | undefined): Promise<void> {
  // Pages belong to the worker before.
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const answers = await Promise.all(pages.map(isInTheMiddle));
  if (answers.includes(true)) asker?.postMessage(null);
  else void self.skipWaiting();
}

/**
 * A page that does not answer counts as idle. A photograph in a tab of its own never answers, nor does a tab that the
 * browser has frozen, maybe for days, and neither may hold up every update. The frozen one loses nothing that was
 * typed: its own reload waits (`register.ts`). Only a file that it has not loaded yet may be gone.
 */
function isInTheMiddle(page: Client): Promise<boolean> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data === true);
    setTimeout(() => resolve(false), ANSWER_MS);
    page.postMessage('is-in-the-middle' satisfies WorkerMessage, [port2]);
  });
}

/** A page that stands there is brought to the front; others keep what is being done in them. */
async function show(url: string): Promise<void> {
  // A page that was open before this worker took over is one of ours as well.
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find((page) => page.url === url);
  if (page === undefined) await self.clients.openWindow(url);
  else await page.focus();
}

/** Only a name with a hash may come from the browser's own cache. */
function requestOf(path: string): Request {
  return new Request(path, { cache: path.startsWith('/assets/') ? 'default' : 'reload' });
}

async function tidyUp(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name !== SHELL_CACHE && name !== KEPT_CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await dropUnused(await caches.open(KEPT_CACHE), null);
}

async function dropUnused(cache: Cache, added: string | null): Promise<void> {
  const unused = (await cache.keys()).filter(({ url }) => !isStillUsed(url, added, precache));
  await Promise.all(unused.map((request) => cache.delete(request)));
}

async function page(request: Request): Promise<Response> {
  const answer = fetch(request);
  // One page serves every address, also one that the server does not know: the router of the app reads it.
  const shell = () => caches.match('/', { cacheName: SHELL_CACHE });
  return (await inTime(answer)) ?? (await shell()) ?? answer;
}

/** What the server itself answers in time; null without that. */
async function inTime(answer: Promise<Response>): Promise<Response | null> {
  const late = new Promise<null>((resolve) => setTimeout(resolve, SERVER_MS, null));
  const response = await Promise.race([answer, late]).catch(() => null);
  return response === null || isOfProxy(response) ? null : response;
}

async function fromShell(request: Request): Promise<Response> {
  return (await caches.match(request, { cacheName: SHELL_CACHE })) ?? fetch(request);
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(KEPT_CACHE);
  const found = await cache.match(request);
  if (found !== undefined) return found;
  const response = await fetch(request);
  // Kept before the answer is given: a browser may end a worker that owes no answer any more.
  if (response.ok) await keep(cache, request, response.clone());
  return response;
}

async function modelFacts(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const cache = await caches.open(KEPT_CACHE);
  const answer = fetch(request).then(async (response) => {
    if (response.ok) await keep(cache, request, response.clone());
    return response;
  });
  // Those that come too late are the last facts of the next time.
  event.waitUntil(answer.catch(() => undefined));
  return (await inTime(answer)) ?? (await cache.match(request)) ?? answer;
}

/** A browser without room answers from the network, as it would without a worker. */
async function keep(cache: Cache, request: Request, response: Response): Promise<void> {
  try {
    await cache.put(request, response);
    await dropUnused(cache, request.url);
  } catch (error) {
    console.warn('The file is not kept:', error);
  }
}
