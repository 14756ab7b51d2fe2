import { chromium, type Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { CHROMIUM_ARGS, CHROMIUM_PATH } from '../chromium';
import { expect, golden, test } from '../fixtures';

/**
 * The engines that run the model in the browser, each asked by itself.
 *
 * Without a graphics card the test is skipped, unless `PARTSIGHT_TEST_WEBGPU=drawn` has the processor draw one, at half a
 * minute a run; the app itself would not use that one.
 */
const DRAWN_CARD =
  process.env.PARTSIGHT_TEST_WEBGPU === 'drawn'
    ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']
    : [];

type Answer = { label: string; confidence: number };
type Answers = { outputs: number[]; runMs: number; guess: Answer };

/** A golden drawing and the check picture through one engine of the built app. */
async function ask(page: Page, worker: string, engine: string): Promise<Answers> {
  const picture = await readFile(golden('rim').path, 'base64');
  return page.evaluate(
    async ([file, name, photo]) => {
      const model = (await (await fetch('/api/model')).json()) as object;
      const running = new Worker(file, { type: 'module' });
      const next = (message: object, transfer: Transferable[] = []) =>
        new Promise<Record<string, unknown>>((resolve, reject) => {
          running.onerror = () => reject(new Error('The worker could not be started.'));
          running.onmessage = ({ data }: MessageEvent<Record<string, unknown>>) => {
            if (data.type === 'failed') reject(new Error(String(data.reason)));
            else resolve(data);
          };
          running.postMessage(message, transfer);
        });
      await next({ type: 'open', model, engine: name });
      const bytes = Uint8Array.from(atob(photo), (sign) => sign.charCodeAt(0));
      const frame = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const { guess } = await next({ type: 'look', frame, again: false }, [frame]);
      const { outputs, runMs } = await next({ type: 'check' });
      running.terminate();
      return {
        guess: guess as Answer,
        outputs: [...(outputs as Float32Array)],
        runMs: runMs as number,
      };
    },
    [worker, engine, picture] as const,
  );
}

test('one photograph gives the same first place on both engines', async ({ server }) => {
  // A card that the processor draws takes half a minute a run.
  test.setTimeout(600_000);
  const browser = await chromium.launch({
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS.filter((flag) => flag !== '--disable-gpu'), ...DRAWN_CARD],
  });
  try {
    const page = await (await browser.newContext()).newPage();
    await page.goto(server.url);
    const card = await page.evaluate(async () => {
      const { gpu } = navigator as unknown as {
        gpu?: {
          requestAdapter: () => Promise<{ info: { vendor: string; architecture: string } } | null>;
        };
      };
      if (!('Suspending' in WebAssembly)) return null;
      const adapter = await gpu?.requestAdapter();
      return adapter == null ? null : `${adapter.info.vendor} ${adapter.info.architecture}`;
    });
    const why = 'Skipped: this Chromium has no WebGPU adapter, or cannot wait for one.';
    if (card === null) console.log(why);
    test.skip(card === null, why);

    const worker = await workerOf(page, 'guess-worker-gpu');
    const cpu = await ask(page, worker, 'wasm');
    const gpu = await ask(page, worker, 'webgpu');
    const differences = cpu.outputs.map((value, at) => Math.abs(value - (gpu.outputs[at] ?? NaN)));
    console.log(
      `${card ?? ''}: ${gpu.runMs.toFixed(0)} ms a run, WebAssembly ${cpu.runMs.toFixed(0)} ms; ` +
        `logits differ by at most ${Math.max(...differences).toFixed(3)}.`,
    );
    expect([cpu.guess.label, gpu.guess.label]).toEqual(['rim', 'rim']);
    expect(Math.abs(gpu.guess.confidence - cpu.guess.confidence)).toBeLessThan(0.05);
    expect(Math.max(...differences)).toBeLessThan(0.3);
  } finally {
    await browser.close();
  }
});

/** The address of a worker in the build that the server serves. */
async function workerOf(page: Page, name: string): Promise<string> {
  const code = await (
    await page.request.get(new URL('/service-worker.js', page.url()).href)
  ).text();
  const address = new RegExp(`/assets/${name}-[\\w-]{8}\\.js`).exec(code)?.[0];
  if (address === undefined) throw new Error(`The build has no ${name}.`);
  return address;
}
