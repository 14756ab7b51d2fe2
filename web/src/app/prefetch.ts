/** What a person may need once the server is away, and what the first load does without. */
const LOADS = [
  () => import('@/app/screens'),
  () => import('@/components/ui/toast-view'),
  () => import('@/features/scanning/capture/components/scan-dialogs'),
  () => import('@/features/scanning/capture/components/crop-dialog'),
  () => import('@/features/scanning/offline-queue/components/kept-result'),
  () => import('@/features/scanning/offline-queue/components/waiting-card'),
];

const SIGNS = ['pointermove', 'pointerdown', 'keydown', 'touchstart'];

/** Loads it at the first sign of a person, who needs some time to do anything with it. */
export function prefetchAtFirstSign(): void {
  const load = () => {
    for (const sign of SIGNS) window.removeEventListener(sign, load, true);
    // What fails now is asked for again when it is needed.
    void Promise.allSettled(LOADS.map((start) => start()));
  };
  for (const sign of SIGNS) window.addEventListener(sign, load, { capture: true, passive: true });
}
