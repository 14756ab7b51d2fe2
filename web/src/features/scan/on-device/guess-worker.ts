/// <reference lib="webworker" />
import { env, InferenceSession, Tensor } from 'onnxruntime-web/wasm';
import runtimeUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import { guessOf } from '@/features/scan/on-device/guess';
import type { FromWorker, ToWorker } from '@/features/scan/on-device/messages';
import { pictureProblem } from '@/features/scan/on-device/picture-quality';
import { toInputSize, toTensor, type BrowserModel } from '@/features/scan/on-device/preprocess';
import type { RgbImage } from '@/features/scan/on-device/resample';

// More threads need headers that keep other sites' pages out; one thread is quick enough for a viewfinder.
env.wasm.numThreads = 1;
env.wasm.wasmPaths = { wasm: runtimeUrl };

let opened: { model: BrowserModel; session: InferenceSession } | null = null;

self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
  void answer(event.data).catch((error: unknown) => {
    send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) });
  });
});

async function answer(message: ToWorker): Promise<void> {
  if (message.type === 'open') {
    const reply = await fetch(message.model.url);
    if (!reply.ok) throw new Error(`The model was not loaded: ${reply.status}.`);
    const session = await InferenceSession.create(new Uint8Array(await reply.arrayBuffer()), {
      executionProviders: ['wasm'],
    });
    opened = { model: message.model, session };
    send({ type: 'ready' });
  } else if (opened !== null) {
    const begin = performance.now();
    const image = pixelsOf(message.frame);
    send({ ...(await look(image, opened)), durationMs: performance.now() - begin });
  }
}

async function look(image: RgbImage, { model, session }: NonNullable<typeof opened>) {
  const small = toInputSize(image, model);
  const shape = [1, 3, model.input.height, model.input.width];
  const outputs = await session.run({
    [model.input.name]: new Tensor('float32', toTensor(small, model.input), shape),
  });
  const values = (name: string) => outputs[name]?.data as Float32Array;
  const known = values(model.outputs.known)[0] ?? 0;
  return {
    type: 'guess',
    guess: guessOf(values(model.outputs.logits), known, model),
    problem: pictureProblem(small),
  } as const;
}

/** The pixels of a frame without alpha. The frame is closed: it holds memory of the video. */
function pixelsOf(frame: ImageBitmap): RgbImage {
  const { width, height } = frame;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('The browser gives no canvas.');
  context.drawImage(frame, 0, 0);
  frame.close();
  const { data } = context.getImageData(0, 0, width, height);
  const rgb = new Uint8Array(3 * width * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    rgb[3 * pixel] = data[4 * pixel] ?? 0;
    rgb[3 * pixel + 1] = data[4 * pixel + 1] ?? 0;
    rgb[3 * pixel + 2] = data[4 * pixel + 2] ?? 0;
  }
  return { width, height, rgb };
}

function send(message: FromWorker): void {
  self.postMessage(message);
}
