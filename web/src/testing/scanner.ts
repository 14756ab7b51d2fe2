import { createEvent, fireEvent } from '@testing-library/react';

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
