import type { RefObject } from 'react';
import { openModel, reopenModel, tryGpu } from '@/features/scanning/on-device/engines';
import type { LiveGuessEvent } from '@/features/scanning/on-device/live-guess-machine';
import type { ModelWorker } from '@/features/scanning/on-device/model-worker';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** From one look to the next: five a second are enough, and a phone stays cool. */
const PERIOD_MS = 200;
/** Shortest rest between two looks of a device that takes longer than that. */
const REST_MS = 50;

/**
 * Tells what the model takes the running picture of `videoRef` for, until `signal` ends it.
 *
 * The processor begins at once; a graphics card that proves to be right and quicker takes over.
 */
export async function watch(
  videoRef: RefObject<HTMLVideoElement | null>,
  model: BrowserModel,
  dispatch: (event: LiveGuessEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    await lookUntil(signal, videoRef, model, dispatch);
  } catch {
    // The camera works as ever, only without a live guess.
    if (!signal.aborted) dispatch({ type: 'failed' });
  }
}

async function lookUntil(
  signal: AbortSignal,
  videoRef: RefObject<HTMLVideoElement | null>,
  model: BrowserModel,
  dispatch: (event: LiveGuessEvent) => void,
): Promise<void> {
  let worker = await openModel(model);
  const isOver = () => signal.aborted;
  if (isOver()) {
    worker.close();
    return;
  }
  // `worker` is read then: another one may look by that time.
  signal.addEventListener('abort', () => worker.close());
  dispatch({ type: 'ready' });
  let quicker = null as ModelWorker | null;
  void tryGpu(model, worker, signal).then((gpu) => {
    quicker = gpu;
  });
  while (!isOver()) {
    const begin = performance.now();
    const video = videoRef.current;
    // A page in the background gets no frames and should cost nothing.
    if (video !== null && video.videoWidth > 0 && !document.hidden) {
      // Between two looks, because closing a worker fails the look that it is at.
      if (quicker !== null) {
        worker.close();
        worker = quicker;
        quicker = null;
      }
      const frame = await createImageBitmap(video);
      try {
        dispatch(await worker.look(frame));
      } catch (error) {
        // A graphics card can fail while it runs, and leaves the processor; behind that there is
        // nothing.
        if (isOver() || worker.engine === 'wasm') throw error;
        worker.close();
        worker = await reopenModel(model);
      }
    }
    const rest = Math.max(REST_MS, PERIOD_MS - (performance.now() - begin));
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
  worker.close();
}
