import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import decoderUrl from 'zxing-wasm/reader/zxing_reader.wasm?url';
import { SYMBOLOGIES } from '@/features/scanning/codes/code';

/** What the worker answers to a frame: the codes on it, or why there is no answer. */
export type FromCodeWorker = { codes: { text: string; format: string }[] } | { failed: string };

/** The longer side at which a frame is looked at: more takes longer than it helps. */
const LONGEST = 1280;

// By itself the package would fetch its decoder from another server.
prepareZXingModule({ overrides: { locateFile: () => decoderUrl } });

self.addEventListener('message', ({ data: frame }: MessageEvent<ImageBitmap>) => {
  void codesOn(frame).then(
    (codes) => self.postMessage({ codes } satisfies FromCodeWorker),
    (error: unknown) => self.postMessage({ failed: String(error) } satisfies FromCodeWorker),
  );
});

async function codesOn(frame: ImageBitmap) {
  const scale = Math.min(1, LONGEST / Math.max(frame.width, frame.height));
  const [width, height] = [Math.round(frame.width * scale), Math.round(frame.height * scale)];
  const context = new OffscreenCanvas(width, height).getContext('2d');
  if (context === null) throw new Error('There is no canvas.');
  context.drawImage(frame, 0, 0, width, height);
  frame.close();
  const found = await readBarcodes(context.getImageData(0, 0, width, height), {
    formats: SYMBOLOGIES.map(([, ours]) => ours),
    textMode: 'Plain',
    maxNumberOfSymbols: 4,
  });
  return found.map(({ text, format }) => ({ text, format }));
}
