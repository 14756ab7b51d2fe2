import type { RgbImage } from '@/features/scanning/on-device/resample';

export type PictureProblem = 'dark' | 'blurred';

/** Mean brightness of 255 below which a picture is called dark. */
const DARK_BELOW = 40;
/** Variance of the Laplacian below which a picture is called blurred. */
const BLURRED_BELOW = 16;

/**
 * What is wrong with a small picture, if anything.
 *
 * Sharpness is the variance of the Laplacian of the grey values (Pech-Pacheco and others, "Diatom autofocusing in
 * brightfield microscopy", 2000). Both limits belong to pictures of about 256 pixels a side.
 */
export function pictureProblem(image: RgbImage): PictureProblem | null {
  const grey = greyOf(image);
  const brightness = grey.reduce((sum, value) => sum + value, 0) / grey.length;
  if (brightness < DARK_BELOW) return 'dark';
  return laplacianVariance(grey, image.width, image.height) < BLURRED_BELOW ? 'blurred' : null;
}

/** Luma of ITU-R BT.601, 0 to 255. */
function greyOf({ rgb, width, height }: RgbImage): Float32Array {
  return Float32Array.from({ length: width * height }, (_, pixel) => {
    const at = 3 * pixel;
    return 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
  });
}

/** Of the 3 x 3 Laplacian over all pixels but the border. */
function laplacianVariance(grey: Float32Array, width: number, height: number): number {
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let row = 1; row < height - 1; row += 1) {
    for (let column = 1; column < width - 1; column += 1) {
      const at = row * width + column;
      const value =
        (grey[at - 1] ?? 0) +
        (grey[at + 1] ?? 0) +
        (grey[at - width] ?? 0) +
        (grey[at + width] ?? 0) -
        4 * (grey[at] ?? 0);
      sum += value;
      squares += value * value;
      count += 1;
    }
  }
  if (count === 0) return 0;
  const mean = sum / count;
  return squares / count - mean * mean;
}
