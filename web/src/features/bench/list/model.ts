import type { Schemas } from '@/api/client';
import {
  answerText,
  couldBe,
  doubtOf,
  viewOfResult,
  type ScanView,
} from '@/features/scanning/result/scan-view';
import { csvText } from '@/lib/csv';
import { formatPercent } from '@/lib/format';

export type Candidate = { label: string; name: string; confidence: number };

/** What somebody said a part is; null for "not a part". */
export type Said = { label: string; name: string } | null;

/** What is known of a part that was laid down. */
export type Answer =
  /** On its way to the server. */
  | { state: 'sending' }
  /** Kept in this browser, since the server is away or for another reason; `guess` is what this browser takes it for. */
  | { state: 'waiting'; guess: string | null; reason?: WaitReason }
  | {
      state: 'answered';
      scanId: string;
      verdict: Schemas['ScanVerdict'];
      /** Whether it is not sure because the photo is unlike every known part. */
      isUnlike: boolean;
      /** The best guess first. */
      candidates: Candidate[];
      /** The answer as a sentence. */
      text: string;
      /** What somebody said; undefined while nobody has. */
      said: Said | undefined;
    }
  /** The server found no part, or refused it; `isKept` where this browser keeps the photo, to be sent again on request. */
  | { state: 'refused'; message: string; isKept?: boolean }
  /** It was sent or deleted by another tab or page. */
  | { state: 'elsewhere' };

/**
 * Why a photo waits where the server is not away: somebody has to sign in first, the scans of the month are used up, or
 * it is sent once more.
 */
export type WaitReason = 'signed-out' | 'used-up' | 'again';

/** One part that was laid on the table. */
export type BenchLine = {
  /** Names the scan, here and to the server. */
  key: string;
  /** Counts the parts of the list from 1. */
  number: number;
  /** When it was photographed, in ms since 1970. */
  at: number;
  /** The bin or order that it belongs to; empty for none. */
  bin: string;
  /** A small picture as a `data:` address. */
  thumb: string | null;
  /** The number that was read off the part, where the shop knows it. */
  partNumber: string | null;
  answer: Answer;
  /** When somebody took it out of the list, in ms since 1970; it goes for good a little later. */
  takenOutAt: number | null;
  /** It was taken out for good, and is kept only until its scan is deleted: nothing shows, counts or returns it. */
  isGoing?: boolean;
};

export type BenchEvent =
  | { type: 'added'; key: string; at: number; bin: string; thumb: string | null }
  | { type: 'changed'; key: string; answer: Answer }
  | { type: 'said'; key: string; said: Said | undefined }
  | { type: 'read'; key: string; partNumber: string }
  | { type: 'taken-out'; key: string; at: number }
  | { type: 'put-back'; key: string }
  | { type: 'going'; key: string }
  | { type: 'gone'; key: string }
  | { type: 'cleared' };

/** Lines that are kept; the scans of older ones are in the history. */
export const MOST_LINES = 2000;
/** The newest lines keep their pictures; a browser has a few megabytes for all of a site. */
const MOST_THUMBS = 100;
/** Candidates that can be chosen by a digit. */
const MOST_CANDIDATES = 5;
/** For how long a line that was taken out can be put back, and again after a reload, in ms. */
export const UNDO_MS = 10_000;

/** The newest line is the last. */
export function benchList(lines: BenchLine[], event: BenchEvent): BenchLine[] {
  const change = (key: string, changes: (line: BenchLine) => Partial<BenchLine>) =>
    lines.map((line) => (line.key === key ? { ...line, ...changes(line) } : line));
  switch (event.type) {
    case 'added': {
      const { key, at, bin, thumb } = event;
      const line: BenchLine = {
        key,
        number: (lines.findLast((one) => !isGoing(one))?.number ?? 0) + 1,
        at,
        bin,
        thumb,
        partNumber: null,
        answer: { state: 'sending' },
        takenOutAt: null,
      };
      const kept = [...lines, line].slice(-MOST_LINES);
      return kept.map((one, n) => (n < kept.length - MOST_THUMBS ? { ...one, thumb: null } : one));
    }
    case 'changed':
      return change(event.key, () => ({ answer: event.answer }));
    case 'said':
      return change(event.key, ({ answer }) =>
        answer.state === 'answered' ? { answer: { ...answer, said: event.said } } : {},
      );
    case 'read':
      return change(event.key, () => ({ partNumber: event.partNumber }));
    case 'taken-out':
      return change(event.key, () => ({ takenOutAt: event.at }));
    case 'put-back':
      return change(event.key, (line) => (isGoing(line) ? {} : { takenOutAt: null }));
    case 'going':
      return change(event.key, (line) => (isIn(line) ? {} : { isGoing: true }));
    case 'gone':
      return lines.filter(({ key }) => key !== event.key);
    case 'cleared':
      // What was taken out goes once its scan is deleted, which waits for an answer or for a server that is away.
      return lines.filter((line) => !isIn(line)).map((line) => ({ ...line, isGoing: true }));
  }
}

/** The answer of the server as a line has it. */
export function answerOf(result: Schemas['ScanResult']): Answer {
  const view = viewOfResult(result);
  return {
    state: 'answered',
    scanId: view.id,
    verdict: view.verdict,
    isUnlike: doubtOf(view) === 'unlike-known-parts',
    candidates: candidatesOf(view),
    text: answerText(view),
    said: undefined,
  };
}

/**
 * The best guess first, then the others, each most probable first; siblings come before the rest only where the answer
 * is their category. Also what is hardly likely: where the answer is wrong, the right part is often among it.
 */
function candidatesOf(view: ScanView): Candidate[] {
  const { label, partName: name, category, confidence } = view.identification;
  const first =
    view.rolledUp === null ? [{ label, name, category, confidence }] : couldBe(view).parts;
  const others = view.alternatives.filter(
    (other) => !first.some((candidate) => candidate.label === other.label),
  );
  return [...first, ...others]
    .slice(0, MOST_CANDIDATES)
    .map((one) => ({ label: one.label, name: one.name, confidence: one.confidence }));
}

/** Lines as they were kept, after the page was closed or somebody signed in: what was on its way is sent again. */
export function reopened(lines: BenchLine[]): BenchLine[] {
  return lines.map((line) => {
    const { answer } = line;
    const wasCutOff =
      answer.state === 'sending' || (answer.state === 'waiting' && answer.reason === 'signed-out');
    return wasCutOff
      ? { ...line, answer: { state: 'waiting', guess: null, reason: 'again' } }
      : line;
  });
}

/** Lines as they are kept once the bench was left for another page, which has no way to put one back. */
export function left(lines: BenchLine[]): BenchLine[] {
  return lines.map((line) => (isIn(line) ? line : { ...line, isGoing: true }));
}

/** The line that is shown large: the newest that is still in the list. */
export function currentOf(lines: BenchLine[]): BenchLine | null {
  return lines.findLast(({ takenOutAt }) => takenOutAt === null) ?? null;
}

/** The line that was taken out last and can be put back. */
export function lastTakenOut(lines: BenchLine[]): BenchLine | null {
  return lines
    .filter((line) => !isIn(line) && !isGoing(line))
    .reduce<BenchLine | null>(
      (last, line) => ((line.takenOutAt ?? 0) >= (last?.takenOutAt ?? 0) ? line : last),
      null,
    );
}

export function isIn({ takenOutAt }: BenchLine): boolean {
  return takenOutAt === null;
}

export function isGoing(line: BenchLine): boolean {
  return line.isGoing === true;
}

/** Whether the server refused its photo, and this browser keeps it. */
export function canRetry({ answer }: BenchLine): boolean {
  return answer.state === 'refused' && answer.isKept === true;
}

/** What the part is called, by people or by the answer; null where there is no name. */
export function nameOf({ answer }: BenchLine): string | null {
  switch (answer.state) {
    case 'answered':
      if (answer.said === null) return 'Not a part';
      return answer.said?.name ?? answer.candidates[0]?.name ?? null;
    case 'waiting':
      return answer.guess;
    default:
      return null;
  }
}

/** How a line is named to those who listen. */
export function calledOf(line: BenchLine): string {
  const name = nameOf(line);
  return `part ${line.number}${name === null ? '' : `, ${name}`}`;
}

/** What a line is headed by, in a few words that are read from afar. */
export function titleOf(line: BenchLine): string {
  const { answer } = line;
  switch (answer.state) {
    case 'sending':
      return 'Looking...';
    case 'waiting':
      return answer.guess === null ? 'Kept for later' : `Perhaps ${answer.guess}`;
    case 'refused':
      return 'No answer';
    case 'elsewhere':
      return 'No longer waiting';
    case 'answered':
      return nameOf(line) ?? '';
  }
}

const WAITS: Record<WaitReason | 'away', { standing: string; spoken: string }> = {
  away: { standing: 'Sent once the server is back', spoken: 'The server is away.' },
  'signed-out': { standing: 'Sent once you have signed in', spoken: 'You are signed out.' },
  'used-up': {
    standing: 'Your scans of this month are used up; sent once there are more',
    spoken: 'Your scans of this month are used up.',
  },
  again: { standing: 'To be sent again', spoken: 'It is sent again.' },
};

/** How sure the answer is, or what becomes of the part. */
export function standingOf({ answer }: BenchLine): string {
  switch (answer.state) {
    case 'sending':
      return 'The photo is on its way';
    case 'waiting':
      return WAITS[answer.reason ?? 'away'].standing;
    case 'answered': {
      if (answer.said !== undefined) return 'Confirmed by you';
      const match = `${formatPercent(answer.candidates[0]?.confidence ?? 0)} match`;
      if (answer.verdict === 'identified') return match;
      return answer.isUnlike ? 'Not sure: it is unlike the known parts' : `Not sure, ${match}`;
    }
    case 'refused':
      return answer.message;
    case 'elsewhere':
      return 'What was answered is in the scan history';
  }
}

/** A part in one sentence, for those who listen. */
export function spokenOf(line: BenchLine): string {
  const { answer } = line;
  switch (answer.state) {
    case 'sending':
      return '';
    case 'waiting':
      return `${WAITS[answer.reason ?? 'away'].spoken} The photo is kept.${answer.guess === null ? '' : ` Perhaps ${answer.guess}.`}`;
    case 'answered':
      return answer.said === undefined ? answer.text : `${nameOf(line) ?? ''}, confirmed.`;
    case 'refused':
      return answer.message;
    case 'elsewhere':
      return 'What was answered is in the scan history.';
  }
}

const COLUMNS = [
  'number',
  'time',
  'bin',
  'part',
  'label',
  'confidence',
  'verdict',
  'confirmed',
  'part_number',
  'scan_id',
  'state',
];

/** The list as CSV (RFC 4180), oldest first, without what was taken out. */
export function csvOf(lines: BenchLine[]): string {
  const rows = lines.filter(isIn).map((line) => {
    const { answer } = line;
    const answered = answer.state === 'answered' ? answer : null;
    const best = answered?.candidates[0];
    const said = answered?.said;
    return [
      line.number,
      new Date(line.at).toISOString(),
      line.bin,
      nameOf(line) ?? '',
      said === null ? '' : (said?.label ?? best?.label ?? ''),
      best?.confidence.toFixed(3) ?? '',
      answered?.verdict ?? '',
      said === undefined ? 'no' : 'yes',
      line.partNumber ?? '',
      answered?.scanId ?? '',
      answer.state === 'refused' ? answer.message : answer.state,
    ];
  });
  // Bins are read from strangers' barcodes, which may spell a formula.
  return csvText([COLUMNS, ...rows]);
}

const MOST_BIN = 60;

/** A typed or scanned code as a bin: without control characters, which some scanners send, and no longer than a label. */
export function binOf(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MOST_BIN);
}
