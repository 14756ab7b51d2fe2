import { useEffect, useRef, useState } from 'react';
import { binOf } from '@/features/bench/list/model';
import { KeyReader, SCANNER_PAUSE_MS, type KeyEvent } from '@/features/bench/keys';

type KeysOptions = {
  /** The key of the foot pedal. */
  pedal: string;
  onPedal: () => void;
  onKey: (key: string) => void;
  /** A barcode scanner read a bin or an order. */
  onCode: (code: string) => void;
};

/** The keys of the bench, wherever the focus is: keyboard, foot pedal and barcode scanner. */
export function useKeys(handlers: KeysOptions): void {
  const [reader] = useState(() => new KeyReader());
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const act = (event: KeyEvent) => {
      const { pedal, onPedal, onKey, onCode } = latest.current;
      if (event.type === 'code') onCode(binOf(event.code));
      else if (event.key === pedal) onPedal();
      else onKey(event.key);
    };
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const listener = (event: KeyboardEvent) => {
      if (!isForBench(event, latest.current.pedal)) return;
      // The page must not scroll under the pedal, nor a clicked button be pressed once more by a scanner's Enter.
      if ([latest.current.pedal, ' ', 'Enter'].includes(event.key)) event.preventDefault();
      reader.press(event.key, event.timeStamp).forEach(act);
      const timer = setTimeout(() => {
        timers.delete(timer);
        reader.settle(performance.now()).forEach(act);
      }, SCANNER_PAUSE_MS);
      timers.add(timer);
    };
    window.addEventListener('keydown', listener);
    return () => {
      window.removeEventListener('keydown', listener);
      timers.forEach(clearTimeout);
    };
  }, [reader]);
}

const TYPED_INTO = 'input, textarea, select, [contenteditable="true"]';
const PRESSED = 'button, a[href], [role="switch"], summary';

/** Not what is typed into a field, nor what a dialog or a button that somebody came to by keyboard does itself. */
function isForBench(event: KeyboardEvent, pedal: string): boolean {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) {
    return false;
  }
  if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return false;
  const { target, key } = event;
  if (!(target instanceof Element)) return true;
  if (target.closest(TYPED_INTO) !== null) return false;
  // Whoever came to a button by keyboard presses it. One that was clicked keeps the focus, and the pedal goes past it.
  const isPress = key === 'Enter' || key === ' ' || key === pedal;
  return !(isPress && target.closest(PRESSED) !== null && target.matches(':focus-visible'));
}
