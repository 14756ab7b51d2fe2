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
  const { temperature, knownScale, knownBias } = model.calibration;
  const highest = Math.max(...logits);
  const weights = Array.from(logits, (logit) => Math.exp((logit - highest) / temperature));
  const best = logits.indexOf(highest);
  const confidence = 1 / weights.reduce((sum, weight) => sum + weight, 0);
  const knownScore = 1 / (1 + Math.exp(-(knownScale * known + knownBias)));
  const part = model.classes[best];
  return {
    verdict: verdictOf(knownScore, confidence, model.thresholds),
    label: part?.label ?? '',
    name: part?.name ?? '',
    confidence,
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
