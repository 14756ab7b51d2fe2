import type { Schemas } from '@/api/client';
import { answeredOf } from '@/features/teaching/dial/model';

type DialChoice = Schemas['DialChoice'];

/** A choice in the picture; all shares are in 0..=1. */
export type Point = {
  /** The percentages that lead here: strict ones may ask for the same confidence. */
  percents: number[];
  /** Share of the photos that were answered. */
  answered: number;
  /** Share of those answers that were right. */
  right: number;
  /** The least that can be said of that share. */
  rightAtLeast: number;
};

type Axis = { from: number; to: number; ticks: number[] };

/** The measured choices as points, those that lead to the same as one. */
export function pointsOf(choices: DialChoice[]): Point[] {
  const points = new Map<number, Point>();
  for (const choice of choices) {
    const { identifiedConfidence, maxWrongPercent, answeredLocally, answeredWrong } = choice;
    const known = points.get(identifiedConfidence);
    const answered = answeredOf(choice);
    if (known !== undefined) known.percents.push(maxWrongPercent);
    else if (answeredLocally !== null && answeredWrong !== null && answered !== null) {
      points.set(identifiedConfidence, {
        percents: [maxWrongPercent],
        answered: answeredLocally,
        right: answered === 0 ? 1 : 1 - answeredWrong / answered,
        rightAtLeast: 1 - choice.errorUpperBound,
      });
    }
  }
  return [...points.values()];
}

/** Distances of the ticks; the first that leaves room for their labels is taken. */
const STEPS = [0.05, 0.1, 0.25];
const MOST_STEPS = 4;

/** An axis of whole steps that ends at 1 and begins below all `shares`. */
export function axisOf(shares: number[]): Axis {
  const reach = 1 - Math.min(...shares);
  const step = STEPS.find((one) => reach / one < MOST_STEPS) ?? 0.25;
  const steps = Math.floor(reach / step) + 1;
  const from = Math.max(0, 1 - steps * step);
  const ticks = Array.from({ length: steps + 1 }, (_, index) => 1 - (steps - index) * step);
  return { from, to: 1, ticks: ticks.filter((tick) => tick > -step / 2) };
}
