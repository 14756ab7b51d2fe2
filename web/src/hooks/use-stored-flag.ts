import { useState } from 'react';

/** A choice that this browser remembers under `key`; one that forbids it forgets with the page. */
export function useStoredFlag(key: string): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(() => read(key));
  return [
    on,
    (next) => {
      setOn(next);
      try {
        if (next) localStorage.setItem(key, 'on');
        else localStorage.removeItem(key);
      } catch {
        // Blocked or full: it holds until the page is left.
      }
    },
  ];
}

function read(key: string): boolean {
  try {
    return localStorage.getItem(key) === 'on';
  } catch {
    return false;
  }
}
