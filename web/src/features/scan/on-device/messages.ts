import type { Guess } from '@/features/scan/on-device/guess';
import type { PictureProblem } from '@/features/scan/on-device/picture-quality';
import type { BrowserModel } from '@/features/scan/on-device/preprocess';

/** To the worker that runs the model. A frame is handed over, not copied. */
export type ToWorker = { type: 'open'; model: BrowserModel } | { type: 'look'; frame: ImageBitmap };

/** From that worker. */
export type FromWorker =
  | { type: 'ready' }
  | { type: 'guess'; guess: Guess; problem: PictureProblem | null; durationMs: number }
  | { type: 'failed'; reason: string };
