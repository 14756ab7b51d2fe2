import { useEffect } from 'react';

/** What is on screen and nowhere else; each holder is known by an object of its own. */
const holders = new Set<object>();

/** Whether anything on screen would be lost by a reload. */
export function hasUnsavedWork(): boolean {
  return holders.size > 0;
}

/** Says, while `unsaved` is true, that a reload would lose what this component holds. */
export function useUnsavedWork(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const holder = {};
    holders.add(holder);
    return () => {
      holders.delete(holder);
    };
  }, [unsaved]);
}
