/// <reference lib="webworker" />
import type * as ort from 'onnxruntime-web';
import { checkPicture } from '@/features/scanning/on-device/check';
import { guessOf } from '@/features/scanning/on-device/guess';
import type { Check, FromWorker, Looked, ToWorker } from '@/features/scanning/on-device/messages';
import { pictureProblem } from '@/features/scanning/on-device/picture-quality';
import { toInputSize, toTensor, type BrowserModel } from '@/features/scanning/on-device/preprocess';
import type { RgbImage } from '@/features/scanning/on-device/resample';
import { lookAgain, type Outputs } from '@/features/scanning/on-device/second-look';
import { whiten } from '@/lib/photos/white';

type Runtime = Pick<typeof ort, 'env' | 'InferenceSession' | 'Tensor'>;

/** The check picture is run once to warm up, and then timed for as long as this, or once. */
const TIMED_MS = 500;

/** Makes this worker answer `ToWorker` messages with one runtime. */
export function answerWith({ env, InferenceSession, Tensor }: Runtime, runtimeUrl: string): void {
  // More threads need headers that keep other sites' pages out; one thread is quick enough for a viewfinder.
  env.wasm.numThreads = 1;
  env.wasm.wasmPaths = { wasm: runtimeUrl };
  // Which operators stay on the processor is decided by time, and no concern of the reader's console.
  env.logLevel = 'error';

  let opened: { model: BrowserModel; session: ort.InferenceSession } | null = null;

  self.addEventListener('message', (event: MessageEvent<ToWorker>) => {
    void answer(event.data).then(send, (error: unknown) =>
      send({ type: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    );
  });

  async function answer(message: ToWorker): Promise<FromWorker> {
    if (message.type === 'open') {
      // The service worker keeps it from its first use on, since its address is its hash.
      const reply = await fetch(message.model.url);
      if (!reply.ok) throw new Error(`The model was not loaded: ${reply.status}.`);
      const session = await InferenceSession.create(new Uint8Array(await reply.arrayBuffer()), {
        executionProviders: [message.engine],
        logSeverityLevel: 3,
      });
      opened = { model: message.model, session };
      return { type: 'ready' };
    }
    if (opened === null) throw new Error('BUG: a picture came before the model.');
    return message.type === 'look' ? look(message.frame, message.again, opened) : check(opened);
  }

  async function look(
    frame: ImageBitmap,
    again: boolean,
    open: NonNullable<typeof opened>,
  ): Promise<Looked> {
    const begin = performance.now();
    const { model } = open;
    const pixels = pixelsOf(frame);
    const small = toInputSize(pixels, model);
    const first = await run(small, open);
    const { logits, known } = again
      ? await lookAgain(pixels, first, model, (view) => run(view, open))
      : first;
    return {
      type: 'guess',
      guess: guessOf(logits, known, model),
      problem: pictureProblem(small),
      durationMs: performance.now() - begin,
    };
  }

  async function check(open: NonNullable<typeof opened>): Promise<Check> {
    const picture = checkPicture(open.model.input);
    const { logits, known } = await run(picture, open);
    let runMs = Infinity;
    const end = performance.now() + TIMED_MS;
    do {
      const begin = performance.now();
      await run(picture, open);
      runMs = Math.min(runMs, performance.now() - begin);
    } while (performance.now() < end);
    return {
      type: 'checked',
      outputs: Float32Array.of(...logits, known),
      runMs,
    };
  }

  async function run(
    image: RgbImage,
    { model, session }: NonNullable<typeof opened>,
  ): Promise<Outputs> {
    const shape = [1, 3, model.input.height, model.input.width];
    const outputs = await session.run({
      [model.input.name]: new Tensor('float32', toTensor(image, model.input), shape),
    });
    const values = (name: string) => outputs[name]?.data as Float32Array;
    return { logits: values(model.outputs.logits), known: values(model.outputs.known)[0] ?? 0 };
  }
}

/** The pixels of a frame over white. The frame is closed: it holds memory of the video. */
function pixelsOf(frame: ImageBitmap): RgbImage {
  const { width, height } = frame;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) throw new Error('The browser gives no canvas.');
  whiten(context);
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
