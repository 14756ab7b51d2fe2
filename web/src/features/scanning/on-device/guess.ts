import { isWorthSaying, type CandidateSet } from '@/features/scanning/candidate-set';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** What the model in this browser takes a picture for. */
export type Guess = {
  verdict: 'identified' | 'not-sure' | 'not-a-part';
  label: string;
  name: string;
  /** Calibrated probability that the label is right, 0 to 1. */
  confidence: number;
  /** The few parts that it is one of, where it is not sure and two or three are promised. */
  candidateSet?: CandidateSet;
};

/** The server's rule: calibrated scores against the model's thresholds. */
export function guessOf(logits: Float32Array, known: number, model: BrowserModel): Guess {
  const { best, probabilities, confidence, knownScore } = scoresOf(logits, known, model);
  const part = model.classes[best];
  const verdict = verdictOf(knownScore, confidence, model.thresholds);
  const onlyIfKnown = knownScore < model.thresholds.identifiedKnownScore;
  const set = verdict === 'not-sure' ? setOf(probabilities, model) : null;
  return {
    verdict,
    label: part?.label ?? '',
    name: part?.name ?? '',
    confidence,
    ...(set !== null && { candidateSet: { ...set, onlyIfKnown } }),
  };
}

/** The server's rule: every type whose probability reaches that of the model, the most probable first. */
function setOf(
  probabilities: number[],
  { classes, sets }: BrowserModel,
): Pick<CandidateSet, 'names' | 'coverage'> | null {
  // Facts that this browser kept from an earlier version say nothing of sets.
  if (sets == null) return null;
  const names = probabilities
    .map((share, index) => ({ share, name: classes[index]?.name ?? '' }))
    .filter(({ share }) => share >= sets.probability)
    .sort((one, other) => other.share - one.share)
    .map(({ name }) => name);
  return isWorthSaying(names.length) ? { names, coverage: sets.coverage } : null;
}

/** The number of the best class, and the calibrated probabilities of each class and of a known part. */
export function scoresOf(
  logits: Float32Array,
  known: number,
  { calibration }: Pick<BrowserModel, 'calibration'>,
): { best: number; probabilities: number[]; confidence: number; knownScore: number } {
  const { temperature, knownScale, knownBias } = calibration;
  // Subtracted from each logit, so that no exponential overflows; the quotients stay the same.
  const highest = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp((logit - highest) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return {
    best: logits.indexOf(highest),
    probabilities: weights.map((weight) => weight / total),
    // The best class weighs exp(0).
    confidence: 1 / total,
    knownScore: 1 / (1 + Math.exp(-(knownScale * known + knownBias))),
  };
}

function verdictOf(
  knownScore: number,
  confidence: number,
  thresholds: BrowserModel['thresholds'],
): Guess['verdict'] {
  if (knownScore < thresholds.notAPartBelow) return 'not-a-part';
  const sure =
    reaches(knownScore, thresholds.identifiedKnownScore) &&
    reaches(confidence, thresholds.identifiedConfidence);
  return sure ? 'identified' : 'not-sure';
}

/** A threshold of 1 means never, also for a score that was rounded to 1. */
function reaches(score: number, threshold: number): boolean {
  return score >= threshold && threshold < 1;
}
