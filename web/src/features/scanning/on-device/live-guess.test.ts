import { describe, expect, it } from 'vitest';
import { guessOf, type Guess } from '@/features/scanning/on-device/guess';
import {
  LIVE_GUESS_OFF,
  liveGuessMachine,
  liveGuessText,
  type LiveGuess,
  type LiveGuessEvent,
} from '@/features/scanning/on-device/live-guess-machine';
import { pictureProblem } from '@/features/scanning/on-device/picture-quality';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';
import { browserModel } from '@/testing/fixtures';

const ROTOR: Guess = {
  verdict: 'identified',
  label: 'brake-rotor',
  name: 'Brake Rotor',
  confidence: 0.9,
};
const RIM: Guess = { verdict: 'not-sure', label: 'rim', name: 'Wheel Rim', confidence: 0.4 };
const NOTHING: Guess = { ...RIM, verdict: 'not-a-part' };

function after(...events: LiveGuessEvent[]): LiveGuess {
  return events.reduce(liveGuessMachine, LIVE_GUESS_OFF);
}

function seen(guess: Guess): LiveGuessEvent {
  return { type: 'guess', guess, problem: null, durationMs: 20 };
}

const OPEN: LiveGuessEvent[] = [{ type: 'load' }, { type: 'ready' }];

describe('the live guess', () => {
  it('says nothing while the model loads, and looks then', () => {
    expect(liveGuessText(after({ type: 'load' }))).toBe('');
    expect(liveGuessText(after(...OPEN))).toBe('No part in view yet');
  });

  it('names a part once two frames agree, and keeps it through a single other one', () => {
    expect(liveGuessText(after(...OPEN, seen(ROTOR)))).toBe('No part in view yet');
    expect(liveGuessText(after(...OPEN, seen(ROTOR), seen(ROTOR)))).toBe('Looks like: Brake Rotor');
    const flicker = after(...OPEN, seen(ROTOR), seen(ROTOR), seen(RIM));
    expect(liveGuessText(flicker)).toBe('Looks like: Brake Rotor');
    expect(liveGuessText(liveGuessMachine(flicker, seen(RIM)))).toBe('Looks like: Wheel Rim');
  });

  it('forgets the name once two frames show no part', () => {
    const gone = after(...OPEN, seen(ROTOR), seen(ROTOR), seen(NOTHING));
    expect(liveGuessText(gone)).toBe('Looks like: Brake Rotor');
    expect(liveGuessText(liveGuessMachine(gone, seen(NOTHING)))).toBe('No part in view yet');
  });

  it('puts what is wrong with the picture first', () => {
    const dark = after(...OPEN, { ...seen(ROTOR), problem: 'dark' } as LiveGuessEvent);
    expect(liveGuessText(dark)).toBe('Too dark: add light');
    const blurred = after(...OPEN, { ...seen(ROTOR), problem: 'blurred' } as LiveGuessEvent);
    expect(liveGuessText(blurred)).toBe('Blurred: hold still, or move back a little');
  });

  it('is silent after a failure, and a late answer changes nothing', () => {
    expect(after(...OPEN, { type: 'failed' })).toEqual(LIVE_GUESS_OFF);
    expect(after(...OPEN, { type: 'stop' }, seen(ROTOR))).toEqual(LIVE_GUESS_OFF);
  });
});

describe('the verdict in the browser', () => {
  const model = browserModel({ classes: ['rim', 'brake-rotor'] });

  it('follows the thresholds of the model', () => {
    const sure = guessOf(Float32Array.of(0, 8), 3, model);
    expect([sure.label, sure.verdict]).toEqual(['brake-rotor', 'identified']);
    expect(sure.confidence).toBeCloseTo(1 / (1 + Math.exp(-8)), 6);
    expect(guessOf(Float32Array.of(0, 0.1), 3, model).verdict).toBe('not-sure');
    expect(guessOf(Float32Array.of(0, 8), -3, model).verdict).toBe('not-a-part');
    // A threshold of 1 means never: exp(-800) leaves the best class a confidence of exactly 1.
    const never = { ...model, thresholds: { ...model.thresholds, identifiedConfidence: 1 } };
    expect(guessOf(Float32Array.of(0, 800), 3, never)).toMatchObject({
      verdict: 'not-sure',
      confidence: 1,
    });
  });

  describe('with candidate sets', () => {
    const names = ['rim', 'brake-rotor', 'clutch-disc', 'piston', 'radio'];
    const withSets = {
      ...browserModel({ classes: names }),
      sets: { coverage: 0.95, probability: 0.1 },
    };
    const setOf = (logits: number[], known = 3, sets: BrowserModel['sets'] = withSets.sets) =>
      guessOf(Float32Array.from(logits), known, { ...withSets, sets }).candidateSet;

    it('names every part whose probability reaches that of the model, best first', () => {
      const two = { names: ['brake-rotor', 'rim'], coverage: 0.95, onlyIfKnown: false };
      expect(setOf([2, 3, 0, -2, -2])).toEqual(two);
      expect(setOf([2, 3, 2, -2, -2])?.names).toEqual(['brake-rotor', 'rim', 'clutch-disc']);
    });

    it('promises nothing beyond known parts where the picture is unlike them', () => {
      expect(setOf([2, 3, 0, -2, -2], 0)?.onlyIfKnown).toBe(true);
    });

    it('has none of one part or of four, of an answer, of no part, and of a model without them', () => {
      expect(setOf([0, 2.5, 0, -2, -2])).toBeUndefined();
      expect(setOf([2, 2, 2, 2, -2])).toBeUndefined();
      expect(setOf([0, 8, 0, 0, 0], 3, { coverage: 0.95, probability: 0 })).toBeUndefined();
      expect(setOf([2, 3, 0, -2, -2], -3)).toBeUndefined();
      expect(setOf([2, 3, 0, -2, -2], 3, null)).toBeUndefined();
    });
  });
});

describe('the quality of a picture', () => {
  const grey = (value: (x: number, y: number) => number) => ({
    width: 32,
    height: 32,
    rgb: Uint8Array.from({ length: 3 * 32 * 32 }, (_, at) => {
      const pixel = Math.floor(at / 3);
      return value(pixel % 32, Math.floor(pixel / 32));
    }),
  });

  it('tells dark, blurred and good pictures apart', () => {
    expect(pictureProblem(grey(() => 10))).toBe('dark');
    expect(pictureProblem(grey((x) => 100 + x))).toBe('blurred');
    expect(pictureProblem(grey((x, y) => (((x >> 2) + (y >> 2)) % 2 === 0 ? 60 : 200)))).toBeNull();
  });
});
