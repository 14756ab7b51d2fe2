import { useEffect, useState } from 'react';
import { onBrowserSession, readBrowserSession, writeBrowserSession } from '@/lib/browser-session';

const KEY = 'alerts.dismissed';

/** The alerts that were dismissed in this session of the browser, in whichever tab (section 2). */
export function useDismissedAlerts() {
  const [ids, setIds] = useState(() => new Set(readIds()));
  useEffect(() => onBrowserSession(KEY, () => setIds(new Set(readIds()))), []);
  return {
    has: (id: string) => ids.has(id),
    add: (more: string[]) => {
      // What another tab has dismissed meanwhile stays dismissed.
      const next = new Set([...ids, ...readIds(), ...more]);
      writeBrowserSession(KEY, [...next]);
      setIds(next);
    },
    clear: () => {
      writeBrowserSession(KEY, []);
      setIds(new Set());
    },
  };
}

function readIds(): string[] {
  const kept = readBrowserSession(KEY);
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
}
