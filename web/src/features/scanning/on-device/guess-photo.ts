import { openModel } from '@/features/scanning/on-device/engines';
import type { Guess } from '@/features/scanning/on-device/guess';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** A phone loads the model and looks once within seconds; nobody waits for longer. */
const DEADLINE_MS = 30_000;

/** What the model in this browser takes a photograph for, or null where it cannot be run. */
export async function guessPhoto(photo: Blob, model: BrowserModel): Promise<Guess | null> {
  if (typeof Worker === 'undefined' || typeof OffscreenCanvas === 'undefined') return null;
  let frame: ImageBitmap;
  try {
    frame = await createImageBitmap(photo, { imageOrientation: 'from-image' });
  } catch {
    // A format that the server reads and this browser does not, such as HEIC.
    return null;
  }
  const opening = openModel(model);
  const late = new Promise<null>((resolve) => setTimeout(resolve, DEADLINE_MS, null));
  const guessed = opening.then((worker) => worker.identify(frame)).then(({ guess }) => guess);
  try {
    return await Promise.race([guessed, late]);
  } catch {
    return null;
  } finally {
    // Also after the deadline: a model that arrives late would leave a worker that nobody ends.
    void opening.then(
      (worker) => worker.close(),
      () => undefined,
    );
  }
}
