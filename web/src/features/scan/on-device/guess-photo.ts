import type { Guess } from '@/features/scan/on-device/guess';
import type { FromWorker, ToWorker } from '@/features/scan/on-device/messages';
import type { BrowserModel } from '@/features/scan/on-device/preprocess';

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
  const worker = new Worker(new URL('./guess-worker.ts', import.meta.url), { type: 'module' });
  const post = (message: ToWorker, transfer: Transferable[] = []) => {
    worker.postMessage(message, transfer);
  };
  const answered = new Promise<Guess | null>((resolve) => {
    setTimeout(resolve, DEADLINE_MS, null);
    worker.addEventListener('error', () => {
      resolve(null);
    });
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'ready') post({ type: 'look', frame }, [frame]);
      else resolve(data.type === 'guess' ? data.guess : null);
    });
  });
  post({ type: 'open', model });
  try {
    return await answered;
  } finally {
    worker.terminate();
  }
}
