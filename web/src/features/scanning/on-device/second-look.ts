import { scoresOf } from '@/features/scanning/on-device/guess';
import { toInputSize, type BrowserModel } from '@/features/scanning/on-device/preprocess';
import type { RgbImage } from '@/features/scanning/on-device/resample';

/** What the model says of one image: raw class logits, and the raw logit of "shows a known type". */
export type Outputs = { logits: Float32Array; known: number };

type SecondLook = NonNullable<BrowserModel['secondLook']>;
type View = SecondLook['views'][number];

/** Runs the model on an image of its input size. */
type Run = (image: RgbImage) => Promise<Outputs>;

/** What the model says of `photo`, whose `first` look is done: of all views where that leaves it unsure. */
export async function lookAgain(
  photo: RgbImage,
  first: Outputs,
  model: BrowserModel,
  run: Run,
): Promise<Outputs> {
  const { secondLook } = model;
  if (secondLook === null || !isUnsure(first, model, secondLook)) return first;
  const looks = [first];
  // One after the other: there is one thread.
  for (const view of secondLook.views) looks.push(await run(viewOf(photo, view, model)));
  return pool(looks, secondLook);
}

function isUnsure(first: Outputs, model: BrowserModel, secondLook: SecondLook): boolean {
  const { confidence, knownScore } = scoresOf(first.logits, first.known, model);
  return confidence < secondLook.confidenceBelow || knownScore < secondLook.knownScoreBelow;
}

/** A view at the model's input size: the crop around the middle, resized as a whole photograph is, then mirrored. */
export function viewOf(
  photo: RgbImage,
  { centre, mirrored }: View,
  model: Pick<BrowserModel, 'input' | 'resize'>,
): RgbImage {
  const image = toInputSize(centreOf(photo, centre), model);
  return mirrored ? mirror(image) : image;
}

/** The outputs of one photograph from those of all looks at it, each weighing the same. */
export function pool(looks: Outputs[], { logitScale, knownScale, knownBias }: SecondLook): Outputs {
  const mean = (value: (look: Outputs) => number) =>
    looks.reduce((sum, look) => sum + value(look), 0) / looks.length;
  const nClasses = looks[0]?.logits.length ?? 0;
  return {
    logits: Float32Array.from(
      { length: nClasses },
      (_, at) => logitScale * mean(({ logits }) => logits[at] ?? 0),
    ),
    known: knownScale * mean(({ known }) => known) + knownBias,
  };
}

function centreOf(photo: RgbImage, centre: number): RgbImage {
  if (centre === 1) return photo;
  const kept = (side: number) => Math.max(1, Math.floor(side * centre + 0.5));
  const [width, height] = [kept(photo.width), kept(photo.height)];
  const left = Math.floor((photo.width - width) / 2);
  const top = Math.floor((photo.height - height) / 2);
  const rgb = new Uint8Array(3 * width * height);
  for (let row = 0; row < height; row += 1) {
    const from = 3 * (photo.width * (top + row) + left);
    rgb.set(photo.rgb.subarray(from, from + 3 * width), 3 * width * row);
  }
  return { width, height, rgb };
}

function mirror({ width, height, rgb }: RgbImage): RgbImage {
  const mirrored = new Uint8Array(rgb.length);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = 3 * (width * row + column);
      mirrored.set(rgb.subarray(from, from + 3), 3 * (width * row + width - 1 - column));
    }
  }
  return { width, height, rgb: mirrored };
}
