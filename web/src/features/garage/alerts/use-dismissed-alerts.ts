import { useState } from 'react';
import { readSession, writeSession } from '@/lib/session-storage';

const KEY = 'alerts.dismissed';

/** The alerts that were dismissed in this session of the browser (section 2). */
export function useDismissedAlerts() {
  const [ids, setIds] = useState(() => new Set(readIds()));
  return {
    has: (id: string) => ids.has(id),
    add: (more: string[]) => {
      const next = new Set([...ids, ...more]);
      writeSession(KEY, [...next]);
      setIds(next);
    },
    clear: () => {
      writeSession(KEY, []);
      setIds(new Set());
    },
  };
}

function readIds(): string[] {
  const kept = readSession(KEY);
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
}
