import { useEffect } from 'react';
import { KeyReader, type KeyEvent } from '@/lib/key-reader';

/** Where keys are already for something. */
const TEXT_FIELD =
  'textarea, select, [contenteditable="true"], input:not([type="checkbox"], [type="radio"], [type="file"], [type="range"])';
/** Of these, where Enter would send a form; in a search, what was scanned is to be searched for. */
const FORM_FIELD = 'form input:not([role="combobox"], [type="search"], [type="password"])';
const OPEN_OVER_THE_SCREEN = '[role="dialog"], [role="alertdialog"], [role="menu"]';

/** What comes with the characters of a code. */
const BESIDE_TEXT = ['Shift', 'CapsLock', 'Enter', 'Tab'];
/** Characters of a scan, at least: two keys are easily pressed at once by a person. */
const FEWEST = 4;
/** At most: what is longer is no number. */
const MOST = 500;
/** What scanners put in front of a code when they are told to name its kind (ISO/IEC 15424). */
const SYMBOLOGY = /^\][A-Za-z]\d/;

/**
 * Tells what a barcode scanner that types has typed: a burst of keys with Enter or Tab at its end, while no
 * text field has the focus and nothing is open over the screen. `onScan` has to be a stable function.
 *
 * In a text field the scan stays: part numbers and VINs are scanned into their fields, and no other field can be told
 * from those. Only its Enter is dropped, which would send a form that is half filled in.
 */
export function useTypedScan(onScan: (text: string) => void): void {
  useEffect(() => {
    const reader = new KeyReader(['Enter', 'Tab']);
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, timeStamp } = event;
      const place = placeOf(event);
      const isHeld = event.ctrlKey || event.metaKey || event.altKey || event.isComposing;
      const isText = Array.from(key).length === 1 || BESIDE_TEXT.includes(key);
      if (isHeld || place === 'taken' || !isText) {
        reader.clear();
        return;
      }
      const isInRun = reader.isInRun(timeStamp);
      const scanned = scanIn(reader.press(key, timeStamp));
      if (place === 'form') {
        if (scanned !== null && key === 'Enter') event.preventDefault();
        return;
      }
      // A blank or an Enter in a scan must not press the button that has the focus.
      if (scanned !== null || (isInRun && key === ' ')) {
        event.preventDefault();
        event.stopPropagation();
      }
      if (scanned !== null) onScan(scanned);
    };
    // In the capture phase, before what has the focus sees the key.
    window.addEventListener('keydown', onKeyDown, true);
    return () => window.removeEventListener('keydown', onKeyDown, true);
  }, [onScan]);
}

function scanIn(events: KeyEvent[]): string | null {
  const read = events.find((event) => event.type === 'code');
  const text = read?.code.replace(SYMBOLOGY, '').trim() ?? '';
  return text.length >= FEWEST && text.length <= MOST ? text : null;
}

function placeOf({ target }: KeyboardEvent): 'form' | 'taken' | 'screen' {
  if (target instanceof Element && target.closest(TEXT_FIELD) !== null) {
    return target.matches(FORM_FIELD) ? 'form' : 'taken';
  }
  return document.querySelector(OPEN_OVER_THE_SCREEN) === null ? 'screen' : 'taken';
}
