import { readFileSync } from 'node:fs';
import { PNG } from 'pngjs';
import type { RgbImage } from '@/features/scanning/on-device/resample';

/** The pixels of a PNG file. */
export function readPng(path: string): RgbImage {
  const { width, height, data } = PNG.sync.read(readFileSync(path));
  const rgb = Uint8Array.from(
    { length: 3 * width * height },
    (_, at) => data[4 * Math.floor(at / 3) + (at % 3)] ?? 0,
  );
  return { width, height, rgb };
}
