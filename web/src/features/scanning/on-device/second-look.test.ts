import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answerWith } from '@/features/scanning/on-device/model-session';
import type { FromWorker, ToWorker } from '@/features/scanning/on-device/messages';
import type { RgbImage } from '@/features/scanning/on-device/resample';
import { lookAgain, pool, viewOf, type Outputs } from '@/features/scanning/on-device/second-look';
import { browserModel } from '@/testing/fixtures';
import { notingContext } from '@/testing/canvas';
import { readPng } from '@/testing/png';

const FIXTURES = join(import.meta.dirname, '../../../../../crates/inference/tests/fixtures/resize');

const secondLook = {
  confidenceBelow: 0.9,
  knownScoreBelow: 0.5,
  logitScale: 2,
  knownScale: 3,
  knownBias: -1,
  views: [
    { centre: 1, mirrored: true },
    { centre: 0.7, mirrored: false },
  ],
};
const model = { ...browserModel({ classes: ['rim', 'brake-rotor'] }), secondLook };

const read = (name: string) => readPng(join(FIXTURES, `${name}.png`));

function outputs(logits: number[], known: number): Outputs {
  return { logits: Float32Array.from(logits), known };
}

describe('the views of a second look', () => {
  const small = {
    input: { ...model.input, width: 24, height: 20 },
    resize: { ...model.resize, mode: 'squash', filter: 'bilinear' },
  };

  it.each(['wide', 'tall', 'tiny', 'pixel'])('are those of training in every bit: %s', (name) => {
    const photo = read(name);
    const expected = read(`${name}-views`).rgb;
    [
      { centre: 1, mirrored: true },
      { centre: 0.7, mirrored: false },
      { centre: 0.7, mirrored: true },
    ].forEach((view, at) => {
      const { rgb } = viewOf(photo, view, small);
      expect(Buffer.from(rgb).equals(expected.subarray(1440 * at, 1440 * (at + 1)))).toBe(true);
    });
  });
});

describe('a second look', () => {
  const photo = read('tiny');
  const SURE = outputs([0, 8], 3);
  const UNSURE = outputs([1, 1.5], 3);
  const STRANGE = outputs([0, 8], -3);

  it('pools all looks, each weighing the same', () => {
    const pooled = pool([outputs([1, 4], 0.5), outputs([3, 0], 1.5)], secondLook);
    expect([...pooled.logits, pooled.known]).toEqual([4, 4, 2]);
  });

  it.each([
    ['sure', SURE, 0],
    ['unsure of the class', UNSURE, 2],
    ['unlikely to be a known part', STRANGE, 2],
  ])('of one that is %s', async (_, first, nRuns) => {
    const run = vi.fn((image: RgbImage) => {
      expect([image.width, image.height]).toEqual([32, 32]);
      return Promise.resolve(outputs([5, 1], 1));
    });
    const found = await lookAgain(photo, first, model, run);
    expect(run).toHaveBeenCalledTimes(nRuns);
    if (nRuns === 0) expect(found).toBe(first);
    else expect(found.known).toBeCloseTo((3 * (first.known + 2)) / 3 - 1, 6);
  });

  it('is not taken with a model that looks once', async () => {
    const run = vi.fn();
    expect(await lookAgain(photo, UNSURE, { ...model, secondLook: null }, run)).toBe(UNSURE);
    expect(run).not.toHaveBeenCalled();
  });
});

describe('the model in its worker', () => {
  /** What the worker answers to a picture of an unsure part, and how often the network ran. */
  async function look(again: boolean) {
    const { context, drawn } = notingContext(8, 6);
    const run = vi.fn(() =>
      Promise.resolve({
        logits: { data: Float32Array.of(1, 1.5) },
        known: { data: Float32Array.of(3) },
      }),
    );
    const answers: ((answer: FromWorker) => void)[] = [];
    let hear: (event: { data: ToWorker }) => void = () => undefined;
    vi.stubGlobal('self', {
      addEventListener: (_: string, listener: typeof hear) => (hear = listener),
      postMessage: (answer: FromWorker) => answers.shift()?.(answer),
    });
    vi.stubGlobal('fetch', () => Promise.resolve(new Response(new Uint8Array(1))));
    vi.stubGlobal(
      'OffscreenCanvas',
      class {
        getContext() {
          const data = new Uint8ClampedArray(4 * 8 * 6).fill(90);
          return Object.assign(context, { getImageData: () => ({ data }) });
        }
      },
    );
    const runtime = {
      env: { wasm: {} },
      InferenceSession: { create: () => Promise.resolve({ run }) },
      Tensor: vi.fn(),
    };
    try {
      answerWith(runtime as unknown as Parameters<typeof answerWith>[0], '');
      const ask = (data: ToWorker) =>
        new Promise<FromWorker>((resolve) => {
          answers.push(resolve);
          hear({ data });
        });
      await ask({ type: 'open', model, engine: 'wasm' });
      const frame = { width: 8, height: 6, close: () => undefined } as unknown as ImageBitmap;
      const answer = await ask({ type: 'look', frame, again });
      return { answer, nRuns: run.mock.calls.length, drawn };
    } finally {
      vi.unstubAllGlobals();
    }
  }

  it('looks once at a frame of the viewfinder, and again at a photograph', async () => {
    const live = await look(false);
    const scanned = await look(true);
    expect([live.nRuns, scanned.nRuns]).toEqual([1, 3]);
    // As the server does behind transparent places.
    expect(scanned.drawn).toEqual(['white 8 x 6', 'picture']);
    // Three looks that agree, with twice the logits: surer than one.
    const confidence = ({ answer }: typeof live) =>
      answer.type === 'guess' ? answer.guess.confidence : 0;
    expect(confidence(live)).toBeCloseTo(1 / (1 + Math.exp(-0.5)), 5);
    expect(confidence(scanned)).toBeCloseTo(1 / (1 + Math.exp(-1)), 5);
  });
});
