import { useCallback, useEffect, useRef, useState } from 'react';
import { KeyReader, SCANNER_PAUSE_MS, type KeyEvent } from '@/lib/key-reader';

type Reading = {
  /** To be told of each key that is pressed, as `KeyboardEvent.key` names it, and when in ms. */
  read: (key: string, at: number) => void;
  /** Whether a key pressed at this time belongs to what a scanner types. */
  isInRun: (at: number) => boolean;
};

/** `onEvent` is told what came of the keys: at once, or a moment later where it could still become a code. */
export function useKeyReader(onEvent: (event: KeyEvent) => void): Reading {
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
  const read = useCallback<Reading['read']>(
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
  const isInRun = useCallback((at: number) => reader.isInRun(at), [reader]);
  return { read, isInRun };
}
