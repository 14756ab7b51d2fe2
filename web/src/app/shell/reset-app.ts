import { loadAnew } from '@/lib/load-anew';

/** Deletes all that this browser keeps for the app, then loads it anew. What is saved stays. */
export async function resetApp(): Promise<void> {
  // Neither exists on a page that came over plain HTTP from another machine.
  if ('caches' in window) {
    const names = await caches.keys();
    await Promise.all(names.map((name) => caches.delete(name)));
  }
  if ('serviceWorker' in navigator) {
    const workers = await navigator.serviceWorker.getRegistrations();
    await Promise.all(workers.map((worker) => worker.unregister()));
  }
  localStorage.clear();
  sessionStorage.clear();
  loadAnew();
}
