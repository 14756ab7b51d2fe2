import type {
  Check,
  Engine,
  FromWorker,
  Looked,
  ToWorker,
} from '@/features/scanning/on-device/messages';
import type { BrowserModel } from '@/features/scanning/on-device/preprocess';

/** The model in a worker of its own, which answers one question after another. */
export class ModelWorker {
  private readonly worker: Worker;
  private last: Promise<unknown> = Promise.resolve();
  private pending: { settle: (answer: FromWorker) => void } | null = null;
  private end: string | null = null;

  /** In a browser `withGpu` the same runtime serves both engines, so that only one is fetched. */
  constructor(
    readonly engine: Engine,
    withGpu: boolean,
  ) {
    // The addresses are spelled out because the build looks for them.
    this.worker = withGpu
      ? new Worker(new URL('./guess-worker-gpu.ts', import.meta.url), { type: 'module' })
      : new Worker(new URL('./guess-worker.ts', import.meta.url), { type: 'module' });
    this.worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) =>
      this.settle(data),
    );
    this.worker.addEventListener('error', () => this.close('The worker could not be started.'));
  }

  /** Loads the model; a worker that cannot is closed. */
  async open(model: BrowserModel): Promise<this> {
    try {
      await this.ask({ type: 'open', model, engine: this.engine });
    } catch (error) {
      this.close();
      throw error;
    }
    return this;
  }

  /** What is in a frame of the viewfinder, at one look. */
  async look(frame: ImageBitmap): Promise<Looked> {
    return (await this.ask({ type: 'look', frame, again: false }, [frame])) as Looked;
  }

  /** What is in a photograph, at a second look where the first leaves it unsure. */
  async identify(photo: ImageBitmap): Promise<Looked> {
    return (await this.ask({ type: 'look', frame: photo, again: true }, [photo])) as Looked;
  }

  async check(): Promise<Check> {
    return (await this.ask({ type: 'check' })) as Check;
  }

  /** Ends the worker; what it was asked fails. */
  close(reason = 'The worker was closed.'): void {
    // The first reason stays: whoever sees the failure closes the worker once more.
    this.end ??= reason;
    this.worker.terminate();
    this.settle({ type: 'failed', reason: this.end });
  }

  private ask(message: ToWorker, transfer: Transferable[] = []): Promise<FromWorker> {
    const answered = this.last.then(
      () =>
        new Promise<FromWorker>((resolve, reject) => {
          if (this.end !== null) {
            reject(new Error(this.end));
            return;
          }
          this.pending = {
            settle: (answer) => {
              if (answer.type === 'failed') reject(new Error(answer.reason));
              else resolve(answer);
            },
          };
          this.worker.postMessage(message, transfer);
        }),
    );
    // A question that failed must not keep the next one from being asked.
    this.last = answered.catch(() => undefined);
    return answered;
  }

  private settle(answer: FromWorker): void {
    this.pending?.settle(answer);
    this.pending = null;
  }
}
