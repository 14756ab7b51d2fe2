import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkPicture, prefersGpu } from '@/features/scanning/on-device/check';
import type * as Engines from '@/features/scanning/on-device/engines';
import type { Check, FromWorker, ToWorker } from '@/features/scanning/on-device/messages';
import { browserModel } from '@/testing/fixtures';

const model = browserModel({ classes: ['rim', 'brake-rotor'] });
const check = (outputs: number[], runMs: number): Check => ({
  type: 'checked',
  outputs: Float32Array.from(outputs),
  runMs,
});
const CPU = check([4, 1, 2], 100);

describe('whether the graphics card is preferred', () => {
  it.each([
    ['sooner and equal', check([4, 1, 2], 20), true],
    ['sooner and nearly equal', check([4.2, 0.9, 1.8], 20), true],
    ['equal and later', check([4, 1, 2], 101), false],
    ['sooner and otherwise', check([4, 1.4, 2], 20), false],
    ['sooner with another known logit', check([4, 1, 2.4], 20), false],
    ['sooner and no number', check([4, NaN, 2], 20), false],
    ['sooner with fewer classes', check([4, 2], 20), false],
  ])('%s', (_, gpu, expected) => {
    expect(prefersGpu(CPU, gpu)).toBe(expected);
  });

  it('asks for the same first place even where the logits are close', () => {
    expect(prefersGpu(check([1, 1.1, 0], 100), check([1.1, 1, 0], 20))).toBe(false);
  });

  it('checks on a picture of dark and light', () => {
    const { rgb } = checkPicture({ width: 64, height: 64 });
    expect(rgb).toHaveLength(3 * 64 * 64);
    expect(Math.max(...rgb) - Math.min(...rgb)).toBeGreaterThan(150);
  });
});

/** What a stand-in for a worker answers; a message that it has no answer for stays open. */
type Script = Partial<Record<ToWorker['type'], FromWorker>>;

const started: string[] = [];

/** A browser with these engines behind its workers. */
function browserWith({ adapter, cpu, gpu }: { adapter: object | null; cpu: Script; gpu: Script }) {
  started.length = 0;
  vi.stubGlobal('WebAssembly', { ...WebAssembly, Suspending: {} });
  vi.stubGlobal('navigator', { gpu: { requestAdapter: () => Promise.resolve(adapter) } });
  vi.stubGlobal(
    'Worker',
    class extends EventTarget {
      private script: Script = {};
      private closed = false;

      constructor(private readonly address: URL) {
        super();
      }

      postMessage(message: ToWorker) {
        if (message.type === 'open') {
          started.push(`${message.engine} by ${this.address.pathname.split('/').at(-1) ?? ''}`);
          this.script = message.engine === 'webgpu' ? gpu : cpu;
        }
        const data = this.script[message.type];
        queueMicrotask(() => {
          if (data !== undefined && !this.closed) {
            this.dispatchEvent(new MessageEvent('message', { data }));
          }
        });
      }

      terminate() {
        this.closed = true;
      }
    },
  );
}

const CARD = { info: {} };
const WORKS: Script = { open: { type: 'ready' }, check: CPU };
const WORKS_SOONER: Script = { open: { type: 'ready' }, check: check([4, 1, 2], 20) };

describe('the engine', () => {
  // What was found out is kept by the module, for the page.
  let engines: typeof Engines;
  const signal = () => new AbortController().signal;

  beforeEach(async () => {
    vi.resetModules();
    engines = await import('@/features/scanning/on-device/engines');
    return () => {
      vi.unstubAllGlobals();
      vi.useRealTimers();
    };
  });

  it.each([
    ['no adapter', null],
    ['one that the processor draws', { info: { isFallbackAdapter: true } }],
  ])('is the processor with its own runtime where there is %s', async (_, adapter) => {
    browserWith({ adapter, cpu: WORKS, gpu: WORKS_SOONER });
    const worker = await engines.openModel(model);
    expect(await engines.tryGpu(model, worker, signal())).toBeNull();
    expect(started).toEqual(['wasm by guess-worker.ts']);
  });

  it('is a card that proves itself, from then on at once', async () => {
    browserWith({ adapter: CARD, cpu: WORKS, gpu: WORKS_SOONER });
    const cpu = await engines.openModel(model);
    const gpu = await engines.tryGpu(model, cpu, signal());
    expect(gpu?.engine).toBe('webgpu');
    expect((await engines.openModel(model)).engine).toBe('webgpu');
    // One runtime for both: the other one is not fetched.
    expect(started).toEqual([
      'wasm by guess-worker-gpu.ts',
      'webgpu by guess-worker-gpu.ts',
      'webgpu by guess-worker-gpu.ts',
    ]);
  });

  it.each<[string, Script]>([
    ['has no session', { open: { type: 'failed', reason: 'no kernel' } }],
    ['fails at the first picture', { ...WORKS_SOONER, check: { type: 'failed', reason: 'lost' } }],
    ['answers otherwise', { ...WORKS_SOONER, check: check([1, 4, 2], 20) }],
    ['is slower', { ...WORKS_SOONER, check: check([4, 1, 2], 3000) }],
  ])('stays the processor where the card %s, and is not asked again', async (_, gpu) => {
    browserWith({ adapter: CARD, cpu: WORKS, gpu });
    const cpu = await engines.openModel(model);
    expect(await engines.tryGpu(model, cpu, signal())).toBeNull();
    expect(await engines.tryGpu(model, cpu, signal())).toBeNull();
    expect((await engines.openModel(model)).engine).toBe('wasm');
    expect(started.filter((entry) => entry.startsWith('webgpu'))).toHaveLength(1);
  });

  it('does not wait for a card for ever', async () => {
    browserWith({ adapter: CARD, cpu: WORKS, gpu: { open: { type: 'ready' } } });
    const cpu = await engines.openModel(model);
    vi.useFakeTimers();
    const trial = engines.tryGpu(model, cpu, signal());
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await trial).toBeNull();
    expect((await engines.openModel(model)).engine).toBe('wasm');
  });

  it('leaves it open when the camera is switched off meanwhile', async () => {
    browserWith({ adapter: CARD, cpu: WORKS, gpu: { open: { type: 'ready' } } });
    const cpu = await engines.openModel(model);
    const off = new AbortController();
    const trial = engines.tryGpu(model, cpu, off.signal);
    await new Promise((resolve) => setTimeout(resolve));
    off.abort();
    expect(await trial).toBeNull();
    browserWith({ adapter: CARD, cpu: WORKS, gpu: WORKS_SOONER });
    expect((await engines.tryGpu(model, await engines.openModel(model), signal()))?.engine).toBe(
      'webgpu',
    );
  });

  it('goes back to the processor when the card fails later', async () => {
    browserWith({ adapter: CARD, cpu: WORKS, gpu: WORKS_SOONER });
    await engines.tryGpu(model, await engines.openModel(model), signal());
    expect((await engines.reopenModel(model)).engine).toBe('wasm');
    expect((await engines.openModel(model)).engine).toBe('wasm');
  });
});
