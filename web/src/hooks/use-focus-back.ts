import { useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * For a control that is disabled while it works: a browser takes the focus from it, and leaves it nowhere. Enabled
 * again, the control has it back, unless the focus has moved on.
 */
export function useFocusBack(disabled: boolean): RefObject<HTMLButtonElement | null> {
  const control = useRef<HTMLButtonElement>(null);
  const hadFocus = useRef(false);
  // Early enough to see the focus, which the browser takes when it draws.
  useLayoutEffect(() => {
    if (disabled) {
      hadFocus.current = document.activeElement === control.current;
      return;
    }
    if (hadFocus.current && document.activeElement === document.body) {
      control.current?.focus({ preventScroll: true });
    }
    hadFocus.current = false;
  }, [disabled]);
  return control;
}
