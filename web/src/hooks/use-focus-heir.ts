import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * For a component that may go while something of it has the focus, which the browser then leaves nowhere: `heir` names
 * what has it instead. `area` is what the component draws.
 */
export function useFocusHeir(
  area: RefObject<HTMLElement | null>,
  heir: (area: HTMLElement) => Element | null,
): void {
  const pass = () => {
    const element = area.current;
    if (element?.contains(document.activeElement) !== true) return;
    const next = heir(element);
    if (next instanceof HTMLElement) next.focus({ preventScroll: true });
  };
  const latest = useRef(pass);
  useEffect(() => {
    latest.current = pass;
  });
  // A layout effect ends just before its component is taken out of the document.
  useLayoutEffect(() => () => latest.current(), []);
}
