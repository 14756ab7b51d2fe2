import type { Schemas } from '@/api/client';
import { partOfCategory } from '@/api/part-category';
import { isWorthSaying, oneOfSentence, type CandidateSet } from '@/features/scanning/candidate-set';
import { formatPercent } from '@/lib/format';

/** What the result view shows, whether the scan is fresh or comes from the history. */
export type ScanView = Schemas['ScanAnswer'] &
  Pick<Schemas['RecentScan'], 'part' | 'thumbnailUrl' | 'feedback'> &
  Pick<Schemas['ScanResult'], 'regions'>;

/** A fresh answer as the history will show it; nobody has said anything of it yet. */
export function viewOfResult({ identifiedPart: part, ...answer }: Schemas['ScanResult']): ScanView {
  return { ...answer, part, thumbnailUrl: null, feedback: null };
}

/** Of the photos that were sent, the one that stands for the scan; null where they are not at hand. */
export function leadOf<Photo>({ photos }: ScanView, sent: Photo[]): Photo | null {
  return sent[photos.findIndex(({ isLead }) => isLead)] ?? sent[0] ?? null;
}

/** The saved vehicle for which the scan was made; null for one that is gone, and for a scan without any. */
export function savedVehicleOf(
  { vehicle }: ScanView,
  saved: readonly Schemas['Vehicle'][],
): Schemas['Vehicle'] | null {
  if (vehicle == null) return null;
  return (
    saved.find(
      ({ year, make, model }) =>
        year === vehicle.year && make === vehicle.make && model === vehicle.model,
    ) ?? null
  );
}

/**
 * What an answer that is not sure lacks: the photo is unlike every known part, or more than one
 * known part fits it.
 */
export type Doubt = 'unlike-known-parts' | 'close-call';

export function doubtOf({ verdict, identification, receipt }: ScanView): Doubt | null {
  if (verdict === 'identified') return null;
  return identification.knownScore < receipt.identifiedKnownScore
    ? 'unlike-known-parts'
    : 'close-call';
}

/** The few parts that an answer which is not sure is one of; null where none are promised, or too many to help. */
export function candidateSetOf(view: ScanView): CandidateSet | null {
  const { candidateSet } = view;
  const doubt = doubtOf(view);
  if (candidateSet === null || doubt === null) return null;
  const { reason, labels } = candidateSet;
  if (reason === 'measured' && !isWorthSaying(labels.length)) return null;
  return {
    names: labels.map(({ name }) => name),
    coverage: candidateSet.coverage,
    areLookAlikes: reason === 'look-alikes',
    onlyIfKnown: doubt === 'unlike-known-parts',
  };
}

/** The name of a part that the vision-LLM chose, as far as the answer knows it. */
export function judgedName({ identification, alternatives }: ScanView, label: string): string {
  if (label === identification.label) return identification.partName;
  return alternatives.find((other) => other.label === label)?.name ?? label;
}

/** The answer in one sentence, for those who listen. */
export function answerText(view: ScanView): string {
  const { partName, confidence } = view.identification;
  const match = `${partName}, ${formatPercent(confidence)} match`;
  if (view.verdict === 'identified') return `Identified: ${match}.`;
  const set = candidateSetOf(view);
  const closest = `Closest: ${match}.${set === null ? '' : ` ${oneOfSentence(set)}`}`;
  if (view.rolledUp !== null) {
    return `Probably ${partOfCategory(view.rolledUp.category)}. ${closest}`;
  }
  return `Not sure. ${closest}`;
}

/** Of what a rolled-up answer could be, less than this share only distracts. */
const WORTH_NAMING = 0.01;

/**
 * What a rolled-up answer could be, the most probable first: the best guess and the others of its category, and apart from
 * them those of other categories, which the answer says it is not.
 */
export function couldBe({ identification, alternatives }: ScanView): {
  parts: Schemas['Alternative'][];
  others: Schemas['Alternative'][];
} {
  const { label, partName: name, category, confidence } = identification;
  const worthNaming = alternatives.filter((other) => other.confidence >= WORTH_NAMING);
  const siblings = worthNaming.filter((other) => other.category === category);
  return {
    parts: [{ label, name, category, confidence }, ...siblings],
    others: worthNaming.filter((other) => other.category !== category),
  };
}
