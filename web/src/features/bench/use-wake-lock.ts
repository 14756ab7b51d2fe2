import { useEffect } from 'react';

/** Keeps the screen on while `isOn`, where the browser can. */
export function useWakeLock(isOn: boolean): void {
  useEffect(() => {
    // The types say that it is always there; it is not in every browser, nor on an insecure page.
    const wakeLock = (navigator as Partial<Navigator>).wakeLock;
    if (!isOn || wakeLock === undefined) return;
    let isOver = false;
    let lock: WakeLockSentinel | null = null;
    const ask = () => {
      if (document.hidden) return;
      wakeLock.request('screen').then(
        (given) => {
          if (isOver) void given.release();
          else lock = given;
        },
        // Refused, such as with an empty battery: the screen then goes off as it always does.
        () => undefined,
      );
    };
    ask();
    // The browser takes it away with the page that is hidden.
    document.addEventListener('visibilitychange', ask);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, [isOn]);
}
