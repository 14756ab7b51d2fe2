import { useSyncExternalStore } from 'react';

export type FullScreen = { isOn: boolean; canBe: boolean; toggle: () => void };

/** All of the monitor for the page, where the browser has that. */
export function useFullScreen(): FullScreen {
  const isOn = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  return {
    isOn,
    // Phones of one maker have it for videos only.
    canBe: (document as Partial<Document>).fullscreenEnabled === true,
    toggle: () => {
      // Refused where no key was pressed or button clicked; the page then stays as it is.
      const turned = isOn
        ? document.exitFullscreen()
        : document.documentElement.requestFullscreen();
      turned.catch(() => undefined);
    },
  };
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}
