/**
 * Antialiased resize of RGB pixels in fixed point, bit for bit as the server and the training do it.
 *
 * Two passes with 8-bit values between them: along the rows first, but along the columns first when the height
 * shrinks, and by more than twice as many pixels as the width does. The arithmetic is written out in
 * `crates/inference/src/preprocess/resample.rs`.
 */

type Filter = 'bilinear' | 'bicubic' | 'lanczos3';

/** RGB without alpha: `3 * width * height` bytes, row by row. */
export type RgbImage = { width: number; height: number; rgb: Uint8Array };

/** Fraction bits of a weight. */
const PRECISION_BITS = 22;
const HALF = 1 << (PRECISION_BITS - 1);

/** The weights of one pass: which input positions make each output position. */
type Axis = {
  nIn: number;
  nFull: number;
  first: Int32Array;
  start: Int32Array;
  weights: Int32Array;
};

/** Weights that resize `nIn` positions to `nFull`, of which only `kept` from `from` on are computed. */
function axisOf(nIn: number, nFull: number, from: number, kept: number, filter: Filter): Axis {
  const scale = nIn / nFull;
  const factor = Math.max(scale, 1);
  const reach = SUPPORT[filter] * factor;
  const inverse = 1 / factor;
  const kernel = KERNEL[filter];
  const first = new Int32Array(kept);
  const start = new Int32Array(kept + 1);
  const weights: number[] = [];
  for (let index = 0; index < kept; index += 1) {
    const centre = (from + index + 0.5) * scale;
    const begin = Math.max(0, Math.trunc(centre - reach + 0.5));
    const end = Math.min(nIn, Math.trunc(centre + reach + 0.5));
    let sum = 0;
    const raw: number[] = [];
    for (let position = begin; position < end; position += 1) {
      const weight = kernel((position - centre + 0.5) * inverse);
      raw.push(weight);
      sum += weight;
    }
    first[index] = begin;
    for (const weight of raw) weights.push(fixedPoint(weight / sum));
    start[index + 1] = weights.length;
  }
  return { nIn, nFull, first, start, weights: Int32Array.from(weights) };
}

/** The part `[left, left + width) x [top, top + height)` of `image` at `fullWidth` x `fullHeight`. */
export function resizePart(
  image: RgbImage,
  full: { width: number; height: number },
  part: { left: number; top: number; width: number; height: number },
  filter: Filter,
): RgbImage {
  const horizontal = axisOf(image.width, full.width, part.left, part.width, filter);
  const vertical = axisOf(image.height, full.height, part.top, part.height, filter);
  const between = isVerticalFirst(horizontal, vertical)
    ? resizeRows(resizeColumns(image, vertical), horizontal)
    : resizeColumns(resizeRows(image, horizontal), vertical);
  return between;
}

/** `image` at another size, whatever the aspect. */
export function resize(image: RgbImage, width: number, height: number, filter: Filter): RgbImage {
  return resizePart(image, { width, height }, { left: 0, top: 0, width, height }, filter);
}

/** Which order costs less is a guess about the sizes; here it must be the server's guess. */
function isVerticalFirst(horizontal: Axis, vertical: Axis): boolean {
  const saved = Math.max(0, vertical.nIn - vertical.nFull);
  return saved > 0 && saved > 2 * Math.max(0, horizontal.nIn - horizontal.nFull);
}

function resizeRows(image: RgbImage, axis: Axis): RgbImage {
  const width = axis.first.length;
  const rgb = new Uint8Array(3 * width * image.height);
  let out = 0;
  for (let row = 0; row < image.height; row += 1) {
    const rowStart = 3 * image.width * row;
    for (let column = 0; column < width; column += 1) {
      let red = HALF;
      let green = HALF;
      let blue = HALF;
      let at = rowStart + 3 * at32(axis.first, column);
      for (let tap = at32(axis.start, column); tap < at32(axis.start, column + 1); tap += 1) {
        const weight = at32(axis.weights, tap);
        red += weight * at8(image.rgb, at);
        green += weight * at8(image.rgb, at + 1);
        blue += weight * at8(image.rgb, at + 2);
        at += 3;
      }
      rgb[out] = toByte(red);
      rgb[out + 1] = toByte(green);
      rgb[out + 2] = toByte(blue);
      out += 3;
    }
  }
  return { width, height: image.height, rgb };
}

function resizeColumns(image: RgbImage, axis: Axis): RgbImage {
  const height = axis.first.length;
  const rowBytes = 3 * image.width;
  const rgb = new Uint8Array(rowBytes * height);
  const sums = new Int32Array(rowBytes);
  for (let row = 0; row < height; row += 1) {
    sums.fill(HALF);
    let at = rowBytes * at32(axis.first, row);
    for (let tap = at32(axis.start, row); tap < at32(axis.start, row + 1); tap += 1) {
      const weight = at32(axis.weights, tap);
      for (let byte = 0; byte < rowBytes; byte += 1) {
        sums[byte] = at32(sums, byte) + weight * at8(image.rgb, at + byte);
      }
      at += rowBytes;
    }
    for (let byte = 0; byte < rowBytes; byte += 1) {
      rgb[row * rowBytes + byte] = toByte(at32(sums, byte));
    }
  }
  return { width: image.width, height, rgb };
}

// The loops stay inside their arrays; the types cannot say so.
const at32 = (values: Int32Array, index: number): number => values[index] ?? 0;
const at8 = (values: Uint8Array, index: number): number => values[index] ?? 0;

function toByte(sum: number): number {
  return Math.min(255, Math.max(0, sum >> PRECISION_BITS));
}

/** Halves away from zero. */
function fixedPoint(weight: number): number {
  const scaled = weight * (1 << PRECISION_BITS);
  return Math.trunc(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

const SUPPORT: Record<Filter, number> = { bilinear: 1, bicubic: 2, lanczos3: 3 };

/** Values at distance `x` from the centre, in output pixels. */
const KERNEL: Record<Filter, (x: number) => number> = {
  bilinear: (x) => Math.max(0, 1 - Math.abs(x)),
  bicubic: (x) => cubic(Math.abs(x)),
  lanczos3: (x) => (x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0),
};

/** Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.5. */
function cubic(x: number): number {
  const a = -0.5;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}

function sinc(x: number): number {
  if (x === 0) return 1;
  const angle = x * Math.PI;
  return Math.sin(angle) / angle;
}
