import { useLayoutEffect, useRef, type RefObject } from 'react';

/** For the button that opens a form: the form takes the focus along when it goes, and the button has it then. */
export function useOpener(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) {
      button.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  return button;
}
