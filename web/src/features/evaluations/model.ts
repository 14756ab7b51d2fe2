import type { Schemas } from '@/api/client';
import { paths } from '@/config/paths';
import { countOf } from '@/lib/format';

type Evaluation = Schemas['Evaluation'];
type Proportion = Schemas['Proportion'];
type Coverage = Schemas['CoverageAtRisk'];

/** The most that the server takes, in bytes. */
export const MAX_ZIP_BYTES = 2 * 1024 ** 3;

/** Whether nothing more comes of it. */
export const hasEnded = ({ state }: Pick<Evaluation, 'state'>) =>
  state === 'done' || state === 'failed' || state === 'cancelled';

/** The screen of one evaluation. */
export const evaluationHref = (id: string) =>
  `${paths.shopAccuracy}?evaluation=${encodeURIComponent(id)}`;

/** A share with one digit: `90.8%`. */
export const shareText = (share: number) => `${(share * 100).toFixed(1)}%`;

/** A count as a share, or a dash of nothing. */
export const proportionText = ({ count, total }: Pick<Proportion, 'count' | 'total'>) =>
  total === 0 ? '–' : shareText(count / total);

/** The interval of a share: `85.0% to 94.6%`. */
export const intervalText = ({ low, high }: { low: number; high: number }) =>
  `${shareText(low)} to ${shareText(high)}`;

/** How many of how many: `129 of 142`. */
export const countText = ({ count, total }: Pick<Proportion, 'count' | 'total'>) =>
  `${count} of ${total}`;

/** How many minutes or seconds are left at the pace so far; null before that can be told. */
export function timeLeft(
  { startedAt, done, photos }: Pick<Evaluation, 'startedAt' | 'done' | 'photos'>,
  now: number,
): string | null {
  if (startedAt === null || done < 5 || done >= photos) return null;
  const each = (now - Date.parse(startedAt)) / done;
  const seconds = Math.max(1, Math.round((each * (photos - done)) / 1000));
  return seconds < 90
    ? `about ${countOf(seconds, 'second')} left`
    : `about ${countOf(Math.round(seconds / 60), 'minute')} left`;
}

/** What can be answered at a share of wrong answers, in a sentence. */
export function coverageText({ answered, wrong, total, low, high }: Coverage): string {
  if (total === 0) return 'No photo of a known part.';
  if (answered === 0) return 'Even the most confident answers are wrong more often.';
  const counts = (range: string) =>
    `${answered} of ${total} answered${range}, ${wrong} of them wrong.`;
  return low === null || high === null
    ? `${counts('')} Too few photos or mistakes for an interval.`
    : counts(` (${intervalText({ low, high })})`);
}

/** What labels that are probably wrong mean for the accuracy, in a sentence; null if none are. */
export function labelNoiseText({
  top1: { total },
  wrongLabelCount,
  top1WithLikelyLabels,
}: Pick<Schemas['EvaluationReport'], 'top1' | 'wrongLabelCount' | 'top1WithLikelyLabels'>):
  string | null {
  if (top1WithLikelyLabels === null) return null;
  const accuracy = shareText(top1WithLikelyLabels);
  return wrongLabelCount === 1
    ? `1 of these ${total} labels is probably wrong. If it is, and the likely label is right, top-1 accuracy is ${accuracy}.`
    : `${wrongLabelCount} of these ${total} labels are probably wrong. If they are, and the likely labels are right, top-1 accuracy is ${accuracy}.`;
}

/** What changed between two evaluations, in a sentence. */
export function differenceText({
  photos,
  difference,
  low,
  high,
  pValue,
}: Schemas['EvaluationComparison']): string {
  if (photos === 0 || difference === null || low === null || high === null) {
    return 'The two have no photo of a known part in common, so there is no paired comparison.';
  }
  const points = (share: number) => (share * 100).toFixed(1);
  const change =
    difference === 0
      ? 'the same'
      : `${points(Math.abs(difference))} points ${difference > 0 ? 'higher' : 'lower'}`;
  const verdict =
    pValue < 0.05 ? 'The difference is significant' : 'The difference is not significant';
  return `On the ${countOf(photos, 'photo')} in both, top-1 accuracy is ${change} here (95% interval ${points(low)} to ${points(high)} points). ${verdict} (p = ${pValue.toFixed(3)}).`;
}
