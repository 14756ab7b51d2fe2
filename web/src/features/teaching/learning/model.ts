import type { Schemas } from '@/api/client';
import { formatCount, formatPercent } from '@/lib/format';

/** What people said of scans whose part is known; only these can be fitted to. */
export function usableFeedback({ right, otherPart }: Schemas['FeedbackCounts']): number {
  return right + otherPart;
}

/** What the last attempt came to, in a sentence. */
export function outcomeText(
  { outcome, doubt, n }: Schemas['FittedCalibration'],
  leastFeedback: number,
): string {
  const scans = `${formatCount(n)} ${n === 1 ? 'scan' : 'scans'}`;
  switch (outcome) {
    case 'changed':
      return `The new fit to ${scans} was better and is in force.`;
    case 'kept':
      if (doubt !== null) return `${doubtText(doubt, scans)} What was in force stays.`;
      return `A new fit to ${scans} was not better. What was in force stays.`;
    case 'too-few':
      return `It takes ${formatCount(leastFeedback)} scans with a known part; there ${n === 1 ? 'was' : 'were'} ${formatCount(n)}.`;
  }
}

/** Why feedback was not relied on, in a sentence. */
function doubtText(doubt: Schemas['CalibrationDoubt'], scans: string): string {
  switch (doubt) {
    case 'too-few-wrong':
      return `${scans} have too few wrong answers to tell how often answers are wrong. Name the right part of wrong answers too.`;
    case 'out-of-range':
      return `The fit to ${scans} is too far from the model’s own calibration to be relied on. Check whether right and wrong answers got their feedback alike.`;
  }
}

/** The figures of a calibration as names and values, those before beside those after. */
export function figureRows(
  before: Schemas['CalibrationQuality'],
  after: Schemas['CalibrationQuality'],
): [name: string, before: string, after: string][] {
  const both = (name: string, text: (figures: Schemas['CalibrationQuality']) => string) =>
    [name, text(before), text(after)] satisfies [string, string, string];
  return [
    both('Expected calibration error', ({ ece }) => `${(ece * 100).toFixed(1)}%`),
    both('Log loss', ({ logLoss }) => logLoss.toFixed(3)),
    both('Scans named as sure', ({ identified }) => formatCount(identified)),
    both('Wrong ones among them', ({ identified, identifiedWrong }) =>
      identified === 0
        ? formatCount(identifiedWrong)
        : `${formatCount(identifiedWrong)} (${formatPercent(identifiedWrong / identified)})`,
    ),
  ];
}
