import { useEffect, useRef } from 'react';
import { binOf } from '@/features/bench/list/model';
import { useKeyReader } from '@/hooks/use-key-reader';

type KeysOptions = {
  /** The key of the foot pedal. */
  pedal: string;
  onPedal: () => void;
  onKey: (key: string) => void;
  /** A barcode scanner read a bin or an order. */
  onCode: (code: string) => void;
};

/** The keys of the bench, wherever the focus is: keyboard, foot pedal and barcode scanner. */
export function useKeys({ pedal, onPedal, onKey, onCode }: KeysOptions): void {
  // Whether the last key was pressed in a dialog, which that key may have closed by the time it is told here.
  const isOfDialog = useRef(false);
  const { read, isInRun } = useKeyReader((event) => {
    if (event.type === 'code') onCode(binOf(event.code));
    else if (isOfDialog.current) return;
    else if (event.key === pedal) onPedal();
    else onKey(event.key);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const isScanned = isInRun(event.timeStamp);
      if (!isForBench(event, pedal, isScanned)) return;
      // The page must not scroll under the pedal, nor a clicked button be pressed once more by a scanner's Enter. What a
      // person presses in a dialog is the dialog's.
      isOfDialog.current = isDialogOpen();
      const isPress = [pedal, ' ', 'Enter'].includes(event.key);
      if (isPress && (isScanned || !isOfDialog.current)) event.preventDefault();
      // A pedal that is held scans once.
      if (!event.repeat) read(event.key, event.timeStamp);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [read, isInRun, pedal]);
}

const TYPED_INTO = 'input, textarea, select, [contenteditable="true"]';
const PRESSED = 'button, a[href], [role="switch"], summary';

function isDialogOpen(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** Not what is typed into a field, nor what a button that somebody came to by keyboard does itself. */
function isForBench(event: KeyboardEvent, pedal: string, isScanned: boolean): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const { target, key } = event;
  if (!(target instanceof Element)) return true;
  if (target.closest(TYPED_INTO) !== null) return false;
  // The end of a code must not press what happens to have the focus.
  if (isScanned) return true;
  // Whoever came to a button by keyboard presses it. One that was clicked keeps the focus, and the pedal goes past it.
  const isPress = key === 'Enter' || key === ' ' || key === pedal;
  return !(isPress && target.closest(PRESSED) !== null && target.matches(':focus-visible'));
}
