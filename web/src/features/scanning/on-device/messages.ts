import type { Guess } from '@/features/scanning/on-device/guess';
import type { PictureProblem } from '@/features/scanning/on-device/picture-quality';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** What computes the model: the processor through WebAssembly, or the graphics card. */
export type Engine = 'wasm' | 'webgpu';

/** One look at a picture. */
export type Looked = {
  type: 'guess';
  guess: Guess;
  problem: PictureProblem | null;
  /** From the frame to the guess, in ms. */
  durationMs: number;
};

/** What an engine makes of the check picture, which is the same for all. */
export type Check = {
  type: 'checked';
  /** The logit of each class, and after them the one of a known part. */
  outputs: Float32Array;
  /** The quickest run once the engine is warm, without preparing the picture, in ms. */
  runMs: number;
};

/** To the worker that runs the model. A frame is handed over, not copied. */
export type ToWorker =
  | { type: 'open'; model: BrowserModel; engine: Engine }
  /** `again`: a photograph that the first look leaves unsure is looked at a second time, where the model can. */
  | { type: 'look'; frame: ImageBitmap; again: boolean }
  | { type: 'check' };

/** From that worker: one answer to each message. */
export type FromWorker = { type: 'ready' } | Looked | Check | { type: 'failed'; reason: string };
