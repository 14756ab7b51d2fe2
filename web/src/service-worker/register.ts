import { hasUnsavedWork } from '@/hooks/unsaved-work';
import type { PageMessage } from '@/service-worker/plan';

/** How often a page that is in the middle of something is asked again, in ms. */
const ASK_AGAIN_MS = 2000;

/**
 * Registers the service worker, and loads the page anew when a new one takes control
 * (specification 1, section 2).
 *
 * A new worker is let in once a reload takes nothing from the reader.
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
  try {
    const registration = await workers.register('/service-worker.js', { updateViaCache: 'none' });
    const letIn = (worker: ServiceWorker | null) => {
      // The first worker ever follows none, and takes over without being told.
      if (worker === null || registration.active === null) return;
      whenIdle(() => worker.postMessage('take-over' satisfies PageMessage));
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
export function isInTheMiddle(page: Document): boolean {
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
