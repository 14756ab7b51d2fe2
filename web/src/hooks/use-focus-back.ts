import { useLayoutEffect, useRef } from 'react';

/** The control whose being disabled took the focus; null once the focus is somewhere again. */
let takenFrom: Element | null = null;

document.addEventListener('focusin', () => (takenFrom = null));
document.addEventListener('focusout', ({ target }) => {
  takenFrom = target instanceof Element && target.matches(':disabled') ? target : null;
});

/**
 * For a control that is disabled while it works: a browser takes the focus from it, and leaves it nowhere. Enabled
 * again, the control has it back, unless the focus has moved on.
 */
export function useFocusBack(disabled: boolean): void {
  const lost = useRef<Element | null>(null);
  useLayoutEffect(() => {
    if (disabled) {
      // Some browsers take the focus at once, with an event, and others when they draw.
      lost.current = document.querySelector(':focus:disabled') ?? takenFrom;
    } else if (document.activeElement === document.body && lost.current instanceof HTMLElement) {
      lost.current.focus({ preventScroll: true });
    }
  }, [disabled]);
}
