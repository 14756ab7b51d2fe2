import { benchList, reopened, type Answer, type BenchLine } from '@/features/bench/list/model';
import { betweenTurns } from '@/features/bench/use-turn';

type KeptList = { lines: BenchLine[]; bin: string };

const EMPTY: KeptList = { lines: [], bin: '' };

/** The running list of one person in this browser, which outlives a reload and a crash. */
export function readList(userId: string): KeptList {
  try {
    const kept = JSON.parse(localStorage.getItem(nameOf(userId)) ?? 'null') as unknown;
    return isList(kept) ? { lines: reopened(kept.lines), bin: kept.bin } : EMPTY;
  } catch {
    return EMPTY;
  }
}

/** Keeps the list; false where the browser has no room for it, or keeps nothing. */
export function keepList(userId: string, list: KeptList): boolean {
  try {
    localStorage.setItem(nameOf(userId), JSON.stringify(list));
    return true;
  } catch {
    return false;
  }
}

/** Gives a line of a list that was left its answer; false where the bench is open by now, and has its own way to it. */
export function changeKept(userId: string, key: string, answer: Answer): Promise<boolean> {
  return betweenTurns(userId, () => {
    const { lines, bin } = readList(userId);
    if (!lines.some((line) => line.key === key && line.answer.state === 'waiting')) return;
    keepList(userId, { lines: benchList(lines, { type: 'changed', key, answer }), bin });
  });
}

export function forgetList(userId: string): void {
  try {
    localStorage.removeItem(nameOf(userId));
  } catch {
    // A browser that forbids it has kept nothing.
  }
}

function nameOf(userId: string): string {
  return `bench-list@${userId}`;
}

/** Whether this was written by `keepList`; another version may have written something else. */
function isList(kept: unknown): kept is KeptList {
  return (
    typeof kept === 'object' &&
    kept !== null &&
    'bin' in kept &&
    typeof kept.bin === 'string' &&
    'lines' in kept &&
    Array.isArray(kept.lines) &&
    kept.lines.every(
      (line: unknown) =>
        typeof line === 'object' && line !== null && 'key' in line && 'answer' in line,
    )
  );
}
