import { letLeave } from '@/lib/leave-guard';

/** Loads the page anew without a question about what was typed: it was asked already, or may not stay. */
export function loadAnew(): void {
  letLeave();
  window.location.reload();
}
