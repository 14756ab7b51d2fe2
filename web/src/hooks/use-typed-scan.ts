import { useEffect } from 'react';
import { TypedScan } from '@/lib/typed-scan';

/** Where keys are already for something. */
const TEXT_FIELD =
  'textarea, select, [contenteditable="true"], input:not([type="checkbox"], [type="radio"], [type="file"], [type="range"])';
const OPEN_OVER_THE_SCREEN = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * Tells what a barcode scanner that types has typed: a burst of keys with Enter at its end, while no
 * text field has the focus and nothing is open over the screen. `onScan` has to be a stable function.
 */
export function useTypedScan(onScan: (text: string) => void): void {
  useEffect(() => {
    const scan = new TypedScan();
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTaken(event)) {
        scan.clear();
        return;
      }
      const outcome = scan.next(event.key, event.timeStamp);
      // A blank or an Enter in a scan must not press the button that has the focus.
      if (outcome.type === 'scanned' || (outcome.type === 'typing' && event.key === ' ')) {
        event.preventDefault();
        event.stopPropagation();
      }
      if (outcome.type === 'scanned') onScan(outcome.text);
    };
    // In the capture phase, before what has the focus sees the key.
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [onScan]);
}

function isTaken({ target }: KeyboardEvent): boolean {
  return (
    (target instanceof Element && target.closest(TEXT_FIELD) !== null) ||
    document.querySelector(OPEN_OVER_THE_SCREEN) !== null
  );
}
