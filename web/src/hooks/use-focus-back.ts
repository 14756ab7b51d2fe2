import { useLayoutEffect, useRef } from 'react';

/**
 * For a control that is disabled while it works: a browser takes the focus from it, and leaves it nowhere. Enabled
 * again, the control has it back, unless the focus has moved on.
 */
export function useFocusBack(disabled: boolean): void {
  const lost = useRef<HTMLElement | null>(null);
  // Early enough to see the focus on what is disabled by now, which the browser takes when it draws.
  useLayoutEffect(() => {
    if (disabled) {
      lost.current = document.querySelector<HTMLElement>(':focus:disabled');
    } else if (document.activeElement === document.body) {
      lost.current?.focus({ preventScroll: true });
    }
  }, [disabled]);
}
