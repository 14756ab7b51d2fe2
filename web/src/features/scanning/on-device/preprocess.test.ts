import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { toInputSize, toTensor } from '@/features/scanning/on-device/preprocess';
import { readPng } from '@/testing/png';

const ROOT = join(import.meta.dirname, '../../../../..');
const FOLDER = join(ROOT, 'models/partsight-50');
const FIXTURES = join(ROOT, 'crates/inference/tests/fixtures/resize');
const manifest = parse(readFileSync(join(FOLDER, 'model.toml'), 'utf8')) as {
  input: { name: string; width: number; height: number; mean: number[]; std: number[] };
  resize: { mode: string; filter: string; through?: number };
};
const model = {
  input: manifest.input,
  resize: { through: null, shortestSide: null, pad: null, ...manifest.resize },
};

function sha256(values: Uint8Array | Float32Array): string {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return createHash('sha256').update(bytes).digest('hex');
}

describe('preprocessing in the browser', () => {
  it.each(['brake-rotor', 'coil-spring', 'double-exposure', 'meadow', 'rim'])(
    'equals training in every bit: %s',
    (name) => {
      const small = toInputSize(readPng(join(FOLDER, `golden/${name}.png`)), model);
      const resized = readPng(join(FOLDER, `golden/${name}.resized.png`));
      expect(sha256(small.rgb)).toBe(sha256(resized.rgb));
      const { tensor_sha256: expected } = JSON.parse(
        readFileSync(join(FOLDER, `golden/${name}.json`), 'utf8'),
      ) as { tensor_sha256: string };
      expect(sha256(toTensor(small, model.input))).toBe(expected);
    },
  );

  it.each(['bilinear', 'bicubic', 'lanczos3'])('resizes as the server does: %s', (filter) => {
    for (const source of ['wide', 'tall', 'tiny']) {
      const small = toInputSize(readPng(join(FIXTURES, `${source}.png`)), {
        input: { ...model.input, width: 24, height: 20 },
        resize: { mode: 'squash', filter, through: null, shortestSide: null, pad: null },
      });
      const expected = readPng(join(FIXTURES, `${source}-${filter}.png`));
      expect(sha256(small.rgb), source).toBe(sha256(expected.rgb));
    }
  });

  it('keeps the whole photograph in a letterbox, on grey', () => {
    const image = { width: 40, height: 20, rgb: new Uint8Array(2400).fill(10) };
    const boxed = toInputSize(image, {
      input: { ...model.input, width: 20, height: 20 },
      resize: {
        mode: 'letterbox',
        filter: 'bilinear',
        through: null,
        shortestSide: null,
        pad: 124,
      },
    });
    const row = (y: number) => new Set(boxed.rgb.subarray(60 * y, 60 * (y + 1)));
    expect([row(0), row(4), row(5), row(14), row(15)].map((values) => [...values])).toEqual([
      [124],
      [124],
      [10],
      [10],
      [124],
    ]);
  });

  it('crops the middle of the shorter side', () => {
    const rgb = Uint8Array.from({ length: 2400 }, (_, at) => Math.floor(at / 3) % 40);
    const cropped = toInputSize(
      { width: 40, height: 20, rgb },
      {
        input: { ...model.input, width: 20, height: 20 },
        resize: {
          mode: 'center-crop',
          filter: 'bilinear',
          through: null,
          shortestSide: 20,
          pad: null,
        },
      },
    );
    expect([cropped.rgb[0], cropped.rgb[57]]).toEqual([10, 29]);
  });

  it('refuses a way of resizing that it does not know', () => {
    const image = { width: 1, height: 1, rgb: new Uint8Array(3) };
    const resize = { ...model.resize, mode: 'stretch' };
    expect(() => toInputSize(image, { ...model, resize })).toThrow('resize mode stretch');
  });
});
