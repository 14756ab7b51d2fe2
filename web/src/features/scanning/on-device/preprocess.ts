import type { components } from 'partsight-client/schema';
import { resize, resizePart, type RgbImage } from '@/features/scanning/on-device/resample';

export type BrowserModel = components['schemas']['BrowserModelFacts'];
type HowToResize = BrowserModel['resize'];
type Filter = 'bilinear' | 'bicubic' | 'lanczos3';

/** A photograph of any size at the model's input size, as the server brings it there. */
export function toInputSize(
  image: RgbImage,
  model: Pick<BrowserModel, 'input' | 'resize'>,
): RgbImage {
  const { width, height } = model.input;
  const filter = filterOf(model.resize);
  switch (model.resize.mode) {
    case 'squash': {
      const side = model.resize.through;
      return resize(
        side === null ? image : resize(image, side, side, filter),
        width,
        height,
        filter,
      );
    }
    case 'center-crop':
      return centerCrop(image, width, height, model.resize.shortestSide ?? 0, filter);
    case 'letterbox':
      return letterbox(image, width, height, model.resize.pad ?? 0, filter);
    default:
      throw new Error(`This app does not know the resize mode ${model.resize.mode}.`);
  }
}

/** The input tensor, f32 `[1, 3, height, width]`: `(value / 255 - mean) / std` of each channel. */
export function toTensor(image: RgbImage, { mean, std }: BrowserModel['input']): Float32Array {
  const plane = image.width * image.height;
  const values = new Float32Array(3 * plane);
  for (let channel = 0; channel < 3; channel += 1) {
    const table = normalised(mean[channel] ?? 0, std[channel] ?? 1);
    for (let pixel = 0; pixel < plane; pixel += 1) {
      values[channel * plane + pixel] = table[image.rgb[3 * pixel + channel] ?? 0] ?? 0;
    }
  }
  return values;
}

/** Every step rounds to f32 once, in the order in which the server computes it. */
function normalised(mean: number, std: number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, value) =>
    Math.fround(Math.fround(Math.fround(value / 255) - Math.fround(mean)) / Math.fround(std)),
  );
}

function filterOf({ filter }: HowToResize): Filter {
  if (filter === 'bilinear' || filter === 'bicubic' || filter === 'lanczos3') return filter;
  throw new Error(`This app does not know the filter ${filter}.`);
}

/** Both sides by one factor, the shorter to `shortestSide`, then the middle. */
function centerCrop(
  image: RgbImage,
  width: number,
  height: number,
  shortestSide: number,
  filter: Filter,
): RgbImage {
  const scale = shortestSide / Math.min(image.width, image.height);
  const full = {
    width: Math.max(shortestSide, roundHalfToEven(image.width * scale)),
    height: Math.max(shortestSide, roundHalfToEven(image.height * scale)),
  };
  const left = Math.floor((full.width - width) / 2);
  const top = Math.floor((full.height - height) / 2);
  return resizePart(image, full, { left, top, width, height }, filter);
}

function letterbox(
  image: RgbImage,
  width: number,
  height: number,
  pad: number,
  filter: Filter,
): RgbImage {
  const scale = Math.min(width / image.width, height / image.height);
  const inner = (side: number, limit: number) =>
    Math.min(limit, Math.max(1, roundHalfToEven(side * scale)));
  const small = resize(image, inner(image.width, width), inner(image.height, height), filter);
  const left = Math.floor((width - small.width) / 2);
  const top = Math.floor((height - small.height) / 2);
  const rgb = new Uint8Array(3 * width * height).fill(pad);
  for (let row = 0; row < small.height; row += 1) {
    const from = 3 * small.width * row;
    rgb.set(small.rgb.subarray(from, from + 3 * small.width), 3 * (width * (top + row) + left));
  }
  return { width, height, rgb };
}

/** As the training and the server round. */
function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
