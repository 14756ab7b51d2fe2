import type { ToastMessage } from '@/components/ui/use-toast';
import { hasUnsavedWork } from '@/hooks/unsaved-work';
import type { PageMessage, WorkerMessage } from '@/service-worker/plan';

/** How often a page that is in the middle of something is asked again, in ms. */
const ASK_AGAIN_MS = 2000;

/**
 * Registers the service worker, and loads the page anew when a new one takes control
 * (specification 1, section 2).
 *
 * A new worker is let in once a reload takes nothing from the reader, in this tab or another.
 */
export async function registerServiceWorker(): Promise<void> {
  // Missing on a page that came over plain HTTP from another machine.
  const workers = (navigator as Partial<Navigator>).serviceWorker;
  if (workers === undefined) return;
  // The first worker ever brings nothing new.
  let isUpdate = workers.controller !== null;
  workers.addEventListener('controllerchange', () => {
    if (isUpdate) whenIdle(reload);
    isUpdate = true;
  });
  workers.addEventListener('message', ({ data, ports }) => {
    const question: WorkerMessage = 'is-in-the-middle';
    if (data === question) ports[0]?.postMessage(isInTheMiddle(document));
  });
  try {
    const registration = await workers.register('/service-worker.js', { updateViaCache: 'none' });
    const letIn = (worker: ServiceWorker | null) => {
      // The first worker ever follows none, and takes over without being told.
      if (worker === null || registration.active === null) return;
      whenIdle(() => askToTakeOver(worker));
    };
    // Installed on an earlier visit, whose pages were in the middle of something until they closed.
    letIn(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const worker = registration.installing;
      worker?.addEventListener('statechange', () => {
        if (worker.state === 'installed') letIn(worker);
      });
    });
  } catch (error) {
    console.warn('The app will not open without its server:', error);
  }
}

function askToTakeOver(worker: ServiceWorker): void {
  const { port1, port2 } = new MessageChannel();
  // Only a refusal is answered.
  port1.onmessage = () => {
    port1.close();
    sayThatItWaits();
    setTimeout(() => whenIdle(() => askToTakeOver(worker)), ASK_AGAIN_MS);
  };
  worker.postMessage('take-over' satisfies PageMessage, [port2]);
}

let isSaid = false;

/** Once, where somebody sees it: nobody asked for the update, which loses nothing by waiting. */
function sayThatItWaits(): void {
  if (isSaid || document.hidden) return;
  isSaid = true;
  const detail: ToastMessage = {
    title: 'An update is waiting',
    description:
      'Another tab of this app has unsaved work or is in use. Save or finish it there, or close that tab. The app then updates by itself.',
  };
  window.dispatchEvent(new CustomEvent('toast', { detail }));
}

function reload(): void {
  window.location.reload();
}

function whenIdle(act: () => void): void {
  if (isInTheMiddle(document)) {
    setTimeout(() => whenIdle(act), ASK_AGAIN_MS);
  } else {
    act();
  }
}

/**
 * Whether a reload would take something away: an open dialog, a field in use, a running camera, or what a screen says
 * is kept nowhere else.
 */
function isInTheMiddle(page: Document): boolean {
  const { activeElement } = page;
  const typing = activeElement?.matches('input, textarea, select') ?? false;
  const filming = [...page.querySelectorAll('video')].some((video) => video.srcObject != null);
  return (
    hasUnsavedWork() ||
    typing ||
    filming ||
    page.querySelector('[role="dialog"], [role="alertdialog"]') !== null
  );
}
