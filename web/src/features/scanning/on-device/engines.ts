import { prefersGpu } from '@/features/scanning/on-device/check';
import type { Engine } from '@/features/scanning/on-device/messages';
import { ModelWorker } from '@/features/scanning/on-device/model-worker';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** How long a graphics card may take to load the model and show what it can. */
const TRIAL_MS = 20_000;

/** What a comparison on this page found; null before. A page uses one model. */
let found: Engine | null = null;

/** The model on the engine that is known to be right and quick; at first on the processor. */
export async function openModel(model: BrowserModel): Promise<ModelWorker> {
  const withGpu = await hasGpu();
  if (withGpu && found === 'webgpu') {
    try {
      return await new ModelWorker('webgpu', true).open(model);
    } catch {
      // A card that has failed is not tried again on this page.
      found = 'wasm';
    }
  }
  return new ModelWorker('wasm', withGpu).open(model);
}

/** The model on the processor, after the graphics card failed while it ran. */
export async function reopenModel(model: BrowserModel): Promise<ModelWorker> {
  found = 'wasm';
  return openModel(model);
}

/**
 * The model on the graphics card, if it answers as `cpu` does and sooner; else null.
 *
 * It is tried beside `cpu`, which goes on working, and once a page.
 */
export async function tryGpu(
  model: BrowserModel,
  cpu: ModelWorker,
  signal: AbortSignal,
): Promise<ModelWorker | null> {
  const isOver = () => signal.aborted;
  if (found !== null || !(await hasGpu()) || isOver()) return null;
  const gpu = new ModelWorker('webgpu', true);
  const end = () => gpu.close();
  signal.addEventListener('abort', end);
  const timer = setTimeout(end, TRIAL_MS);
  try {
    await gpu.open(model);
    // Only once the card has the model: the check holds up the viewfinder, which the processor
    // serves meanwhile.
    const expected = await cpu.check();
    found = prefersGpu(expected, await gpu.check()) ? 'webgpu' : 'wasm';
  } catch {
    // No session, an operator that it lacks, or too slow. A camera that was switched off leaves it open.
    if (!isOver()) found = 'wasm';
  } finally {
    clearTimeout(timer);
  }
  if (found === 'webgpu') return gpu;
  gpu.close();
  return null;
}

/** The part of WebGPU that is used here; TypeScript's types of the browser lack it. */
type Gpu = { requestAdapter: () => Promise<{ info: { isFallbackAdapter?: boolean } } | null> };

let gpuFound: Promise<boolean> | null = null;

/**
 * Whether there is a graphics card for the model.
 *
 * One that is drawn by the processor is none: it took two hundred times as long as WebAssembly. The runtime waits
 * for the card through WebAssembly's promise integration; the one for browsers without it is 10 MB larger.
 */
function hasGpu(): Promise<boolean> {
  gpuFound ??= askForGpu().catch(() => false);
  return gpuFound;
}

async function askForGpu(): Promise<boolean> {
  const { gpu } = navigator as { gpu?: Gpu };
  if (gpu === undefined || !('Suspending' in WebAssembly)) return false;
  const adapter = await gpu.requestAdapter();
  return adapter !== null && adapter.info.isFallbackAdapter !== true;
}
