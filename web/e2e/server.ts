import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const BINARY =
  process.env.PARTSIGHT_BIN ?? resolve(import.meta.dirname, '../../target/release/partsight');
/** Longer than it takes on a machine that is busy with something else. */
const START_DEADLINE_MS = 90_000;
const POLL_MS = 50;

/** A running `partsight serve` on an empty data folder. */
export type Server = { url: string; dataDir: string; stop: () => Promise<void> };

/** `settings` are environment variables of the server, such as `PARTSIGHT_PLAN`. */
export async function startServer(settings: Record<string, string> = {}): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'partsight-e2e-'));
  const log: string[] = [];
  const child = spawn(BINARY, ['serve', '--listen', '127.0.0.1:0', '--data-dir', dataDir], {
    env: { ...process.env, ...settings },
  });
  child.stdout.on('data', (text: Buffer) => log.push(text.toString()));
  child.stderr.on('data', (text: Buffer) => log.push(text.toString()));
  child.on('error', (error) => log.push(error.message));

  const stop = async () => {
    await ended(child);
    await rm(dataDir, { recursive: true, force: true });
  };
  const deadline = Date.now() + START_DEADLINE_MS;
  let port: string | undefined;
  while ((port = /is ready on \S+:(\d+)\s/.exec(log.join(''))?.[1]) === undefined) {
    if (Date.now() > deadline || child.exitCode !== null || child.pid === undefined) {
      await stop();
      throw new Error(`${BINARY} did not become ready:\n${log.join('')}`);
    }
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  return { url: `http://127.0.0.1:${port}`, dataDir, stop };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((wake) => child.once('exit', wake));
  child.kill('SIGTERM');
  // Open keep-alive connections of the browser must not hold the test up.
  const force = setTimeout(() => child.kill('SIGKILL'), 3000);
  await exit;
  clearTimeout(force);
}
