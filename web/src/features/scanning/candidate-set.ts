const COUNTS = new Map([
  [2, 'two'],
  [3, 'three'],
  [4, 'four'],
  [5, 'five'],
]);

/** The few parts that an answer is one of. */
export type CandidateSet = {
  names: string[];
  /** How often such a set holds the right part, at least: 0 to 1; null where that was not measured. */
  coverage: number | null;
  /** Whether people marked the parts as look-alikes. */
  areLookAlikes?: boolean;
  /** Whether the photo may show a part that is not known here: of those nothing is promised. */
  onlyIfKnown: boolean;
};

/** Whether a measured set of so many parts is worth a sentence: one is only the best guess again, more say little. */
export function isWorthSaying(size: number): boolean {
  return size === 2 || size === 3;
}

/** What a set of several parts says, without their names and without an end. */
export function oneOfText({
  names,
  coverage,
  areLookAlikes = false,
  onlyIfKnown,
}: CandidateSet): string {
  const is = coverage === null && !areLookAlikes ? 'may be' : 'is';
  const these = `${is} one of these ${COUNTS.get(names.length) ?? names.length}`;
  return onlyIfKnown ? `If it is a part known here, it ${these}` : `It ${these}`;
}

/** The same with the names, as a sentence. */
export function oneOfSentence(set: CandidateSet): string {
  const { names } = set;
  const last = names.at(-1) ?? '';
  return `${oneOfText(set)}: ${names.slice(0, -1).join(', ')} or ${last}.`;
}

/** How far a set can be relied on, in a sentence; null where that was not measured. */
export function promiseText({
  coverage,
  areLookAlikes = false,
}: Pick<CandidateSet, 'coverage' | 'areLookAlikes'>): string | null {
  if (areLookAlikes) {
    return 'They are marked as look-alikes: the photo alone does not tell them apart.';
  }
  if (coverage === null) return null;
  const right = Math.min(99, Math.round(coverage * 100));
  return `Right ${right} times in 100 on photos like those it was tested on.`;
}
