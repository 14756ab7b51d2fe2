import { useCallback, useEffect, useRef, useState } from 'react';

type Turn =
  /** The browser is asked whose turn it is. */
  | 'asking'
  /** The bench is open here. */
  | 'ours'
  /** It is open here, and another tab asks for it. */
  | 'wanted'
  /** It is open in another tab. */
  | 'others'
  /** It is open in another tab, which is asked to leave it. */
  | 'waiting';

/** A lock that nobody has is given sooner than this, in ms. */
const ASKING_MS = 500;
/** What was kept last has to arrive in the other tab before it reads the list; browsers do not order the two. */
const ARRIVING_MS = 100;

/** A tab that has the bench for longer than this has it to work there, in ms. */
const BETWEEN_MS = 5000;

/** Does `act` once no tab has the bench, this one included; false where one goes on having it. */
export async function betweenTurns(userId: string, act: () => void): Promise<boolean> {
  const { locks } = navigator as Partial<Navigator>;
  if (locks === undefined) {
    act();
    return true;
  }
  let isDone = false;
  const actAlone = () => {
    act();
    isDone = true;
    return new Promise((resolve) => setTimeout(resolve, ARRIVING_MS));
  };
  const signal = AbortSignal.timeout(BETWEEN_MS);
  await locks.request(lockOf(userId), { signal }, actAlone).catch(() => undefined);
  return isDone;
}

function lockOf(userId: string): string {
  return `partsight-bench@${userId}`;
}

/** One tab of a person has the bench at a time: two would write over each other's list. */
export function useTurn(userId: string) {
  // A browser has none on a page that came over plain HTTP, which gets no camera either.
  const locks = (navigator as Partial<Navigator>).locks;
  const [turn, setTurn] = useState<Turn>(locks === undefined ? 'ours' : 'asking');
  // Counts how often the lock was asked for.
  const [round, setRound] = useState(0);
  const channel = useRef<BroadcastChannel>(null);

  useEffect(() => {
    if (locks === undefined) return;
    const name = lockOf(userId);
    const over = new AbortController();
    let letGo: (() => void) | null = null;
    const timer = setTimeout(
      () => setTurn((now) => (now === 'asking' ? 'others' : now)),
      ASKING_MS,
    );
    const hold = () => {
      clearTimeout(timer);
      setTurn('ours');
      return new Promise<void>((resolve) => {
        letGo = resolve;
      });
    };
    // Rejected where this tab leaves before its turn.
    locks.request(name, { signal: over.signal }, hold).catch(() => undefined);
    const asked = new BroadcastChannel(name);
    channel.current = asked;
    asked.onmessage = () => {
      if (letGo !== null) setTurn('wanted');
      // The tab that asks comes before those that only wait.
      else setRound((n) => n + 1);
    };
    return () => {
      clearTimeout(timer);
      asked.close();
      over.abort();
      setTimeout(() => letGo?.(), ARRIVING_MS);
    };
  }, [locks, userId, round]);

  return {
    turn,
    takeOver: useCallback(() => {
      setTurn('waiting');
      channel.current?.postMessage('take over');
    }, []),
    leave: useCallback(() => {
      setTurn('others');
      setRound((n) => n + 1);
    }, []),
  };
}
