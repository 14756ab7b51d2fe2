import type { RefObject } from 'react';
import { seenCode, SYMBOLOGIES, type SeenCode } from '@/features/scanning/codes/code';
import type { FromCodeWorker } from '@/features/scanning/codes/code-worker';

/** From one look to the next: a code is held still for longer than that. */
const PERIOD_MS = 400;

type Found = { text: string; format: string };

/** What finds the codes on a frame, and takes the frame along. */
type Detect = (frame: ImageBitmap) => Promise<Found[]>;

/** The browser's own detector, as far as it is used here; TypeScript's library does not have it. */
type Detector = { detect: (frame: ImageBitmap) => Promise<{ rawValue: string; format: string }[]> };
type DetectorClass = {
  new (options: { formats: string[] }): Detector;
  getSupportedFormats: () => Promise<string[]>;
};

/** Tells each code that the running picture of `videoRef` shows, until `signal` ends it. */
export async function watchCodes(
  videoRef: RefObject<HTMLVideoElement | null>,
  onCode: (code: SeenCode) => void,
  signal: AbortSignal,
): Promise<void> {
  const detect = (await browserDetect()) ?? workerDetect(signal);
  const isOver = () => signal.aborted;
  while (!isOver()) {
    const begin = performance.now();
    const video = videoRef.current;
    // A page in the background gets no frames and should cost nothing.
    if (video !== null && video.videoWidth > 0 && !document.hidden) {
      const found = await detect(await createImageBitmap(video));
      const codes = found.map(({ text, format }) => seenCode(text, format));
      const code = codes.find((seen) => seen !== null);
      if (code !== undefined && !isOver()) onCode(code);
    }
    const rest = Math.max(0, PERIOD_MS - (performance.now() - begin));
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

/** By the browser's detector, where there is one that knows all kinds; on some systems it knows none. */
async function browserDetect(): Promise<Detect | null> {
  const { BarcodeDetector: Class } = globalThis as { BarcodeDetector?: DetectorClass };
  if (Class === undefined) return null;
  const wanted = SYMBOLOGIES.map(([browser]) => browser as string);
  const known = await Class.getSupportedFormats().catch((): string[] => []);
  if (!wanted.every((format) => known.includes(format))) return null;
  const detector = new Class({ formats: wanted });
  return async (frame) => {
    try {
      const found = await detector.detect(frame);
      return found.map(({ rawValue, format }) => ({ text: rawValue, format }));
    } finally {
      frame.close();
    }
  };
}

/** By a decoder of our own, in a worker; it is fetched now. */
function workerDetect(signal: AbortSignal): Detect {
  const worker = new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' });
  signal.addEventListener('abort', () => worker.terminate());
  return (frame) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromCodeWorker>) => {
        if ('codes' in data) resolve(data.codes);
        else reject(new Error(data.failed));
      };
      worker.onerror = () => reject(new Error('The worker could not be started.'));
      worker.postMessage(frame, [frame]);
    });
}
