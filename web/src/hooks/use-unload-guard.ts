import { useEffect } from 'react';
import { useUnsavedWork } from '@/hooks/unsaved-work';

/**
 * Asks before the page is loaded anew or closed while `isSaving`: something is still to be sent. Another screen may be
 * opened meanwhile, as the sending goes on behind it.
 */
export function useUnloadGuard(isSaving: boolean): void {
  useUnsavedWork(isSaving);
  useEffect(() => {
    if (!isSaving) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isSaving]);
}
