import { useEffect } from 'react';
import { TypedScan } from '@/lib/typed-scan';

/** Where keys are already for something. */
const TEXT_FIELD =
  'textarea, select, [contenteditable="true"], input:not([type="checkbox"], [type="radio"], [type="file"], [type="range"])';
/** Of these, where Enter would send a form; in a search, what was scanned is to be searched for. */
const FORM_FIELD = 'form input:not([role="combobox"], [type="search"], [type="password"])';
const OPEN_OVER_THE_SCREEN = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/**
 * Tells what a barcode scanner that types has typed: a burst of keys with Enter at its end, while no
 * text field has the focus and nothing is open over the screen. `onScan` has to be a stable function.
 *
 * In a text field the scan stays: part numbers and VINs are scanned into their fields, and no other field can be told
 * from those. Only its Enter is dropped, which would send a form that is half filled in.
 */
export function useTypedScan(onScan: (text: string) => void): void {
  useEffect(() => {
    const scan = new TypedScan();
    const onKeyDown = (event: KeyboardEvent) => {
      const place = placeOf(event);
      const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
      if (isHeld || place === 'taken') {
        scan.clear();
        return;
      }
      const outcome = scan.next(event.key, event.timeStamp);
      if (place === 'form') {
        if (outcome.type === 'scanned' && event.key === 'Enter') event.preventDefault();
        return;
      }
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

function placeOf({ target }: KeyboardEvent): 'form' | 'taken' | 'screen' {
  if (target instanceof Element && target.closest(TEXT_FIELD) !== null) {
    return target.matches(FORM_FIELD) ? 'form' : 'taken';
  }
  return document.querySelector(OPEN_OVER_THE_SCREEN) === null ? 'screen' : 'taken';
}
