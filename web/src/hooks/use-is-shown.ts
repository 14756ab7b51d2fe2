import { useEffect, useRef, type RefObject } from 'react';

/** Whether this component is on screen, and `open`, when what it began ends: a person may have left meanwhile. */
export function useIsShown(open = true): RefObject<boolean> {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = open;
    return () => {
      isShown.current = false;
    };
  }, [open]);
  return isShown;
}
