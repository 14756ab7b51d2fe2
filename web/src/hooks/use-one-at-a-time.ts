import { useRef } from 'react';

/**
 * Runs an act unless the one before it is still under way: the second press of a double click comes before its button
 * is drawn as disabled.
 */
export function useOneAtATime(): (act: () => Promise<unknown>) => void {
  const isRunning = useRef(false);
  return (act) => {
    if (isRunning.current) return;
    isRunning.current = true;
    // What failed says so itself.
    void Promise.allSettled([act()]).then(() => {
      isRunning.current = false;
    });
  };
}
