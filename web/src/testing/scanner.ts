import { createEvent, fireEvent } from '@testing-library/react';
import { SCANNER_PAUSE_MS } from '@/lib/key-reader';

/**
 * Types a code and Enter as a barcode scanner does, a millisecond from key to key by the clock of the page however busy
 * this machine is. Of each key, whether the page left it to the browser.
 */
export function scanCode(target: Element, code: string): boolean[] {
  const begun = new Event('keydown').timeStamp;
  return [...Array.from(code), 'Enter'].map((key, index) => {
    const event = createEvent.keyDown(target, { key });
    Object.defineProperty(event, 'timeStamp', { value: begun + index });
    return fireEvent(target, event);
  });
}

/** Until what is pressed next is no part of what a scanner types. */
export const afterScanner = () => new Promise((done) => setTimeout(done, 2 * SCANNER_PAUSE_MS));
