/** Sets of so many parts are told in a sentence: one is only the best guess again, more say little. */
const COUNTS = new Map([
  [2, 'two'],
  [3, 'three'],
]);

/** The few parts that an answer is one of. */
export type CandidateSet = {
  names: string[];
  /** How often such a set holds the right part, at least: 0 to 1. */
  coverage: number;
  /** Whether the photo may show a part that is not known here: of those nothing is promised. */
  onlyIfKnown: boolean;
};

/** Whether a set of so many parts is worth a sentence. */
export function isWorthSaying(size: number): boolean {
  return COUNTS.has(size);
}

/** What a set of two or three parts says, without their names and without an end. */
export function oneOfText({ names, onlyIfKnown }: Pick<CandidateSet, 'names' | 'onlyIfKnown'>) {
  const these = `one of these ${COUNTS.get(names.length) ?? names.length}`;
  return onlyIfKnown ? `If it is a part known here, it is ${these}` : `It is ${these}`;
}

/** The same with the names, as a sentence. */
export function oneOfSentence(set: Pick<CandidateSet, 'names' | 'onlyIfKnown'>): string {
  const { names } = set;
  const last = names.at(-1) ?? '';
  return `${oneOfText(set)}: ${names.slice(0, -1).join(', ')} or ${last}.`;
}

/** How far a set can be relied on. */
export function promiseText({ coverage }: Pick<CandidateSet, 'coverage'>): string {
  const right = Math.min(99, Math.round(coverage * 100));
  return `Right ${right} times in 100 on photos like those it was tested on.`;
}
