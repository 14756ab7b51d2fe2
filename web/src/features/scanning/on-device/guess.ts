import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** What the model in this browser takes a picture for. */
export type Guess = {
  verdict: 'identified' | 'not-sure' | 'not-a-part';
  label: string;
  name: string;
  /** Calibrated probability that the label is right, 0 to 1. */
  confidence: number;
};

/** The server's rule: calibrated scores against the model's thresholds. */
export function guessOf(logits: Float32Array, known: number, model: BrowserModel): Guess {
  const { best, confidence, knownScore } = scoresOf(logits, known, model);
  const part = model.classes[best];
  return {
    verdict: verdictOf(knownScore, confidence, model.thresholds),
    label: part?.label ?? '',
    name: part?.name ?? '',
    confidence,
  };
}

/** The number of the best class, and the calibrated probabilities of it and of a known part. */
export function scoresOf(
  logits: Float32Array,
  known: number,
  { calibration }: Pick<BrowserModel, 'calibration'>,
): { best: number; confidence: number; knownScore: number } {
  const { temperature, knownScale, knownBias } = calibration;
  const highest = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp((logit - highest) / temperature));
  return {
    best: logits.indexOf(highest),
    confidence: 1 / weights.reduce((sum, weight) => sum + weight, 0),
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
    knownScore >= thresholds.identifiedKnownScore && confidence >= thresholds.identifiedConfidence;
  return sure ? 'identified' : 'not-sure';
}
