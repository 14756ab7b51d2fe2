import { useEffect } from 'react';
import { holdUnsavedWork } from '@/lib/unsaved-work';

export { hasUnsavedWork } from '@/lib/unsaved-work';

/** Says, while `unsaved` is true, that what this component holds would be lost with the screen. */
export function useUnsavedWork(unsaved: boolean): void {
  useEffect(() => {
    if (unsaved) return holdUnsavedWork();
  }, [unsaved]);
}
