import { useCallback, useEffect, useRef, useState } from 'react';
import { KeyReader, SCANNER_PAUSE_MS, type KeyEvent } from '@/lib/key-reader';

/**
 * What to tell of each key that is pressed, as `KeyboardEvent.key` names it, and when in ms. `onEvent` is told what
 * came of it: at once, or a moment later where it could still become a code.
 */
export function useKeyReader(
  onEvent: (event: KeyEvent) => void,
): (key: string, at: number) => void {
  const [reader] = useState(() => new KeyReader());
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  const latest = useRef(onEvent);
  useEffect(() => {
    latest.current = onEvent;
  });
  useEffect(() => {
    const running = timers.current;
    return () => running.forEach(clearTimeout);
  }, []);
  return useCallback(
    (key, at) => {
      const act = (event: KeyEvent) => latest.current(event);
      reader.press(key, at).forEach(act);
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        reader.settle(at + SCANNER_PAUSE_MS).forEach(act);
      }, SCANNER_PAUSE_MS);
      timers.current.add(timer);
    },
    [reader],
  );
}
