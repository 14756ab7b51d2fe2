import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Plugin } from 'vite';
import type { Precache } from './src/service-worker/plan';

const WORKER = 'service-worker.js';
/** What only the camera needs: the runtime of the model, the decoder of codes, and the workers that drive them. */
const ON_DEMAND = /\.wasm$|^assets\/(guess|code)-worker-/;

/** Tells the service worker which files belong to the build that it is part of. */
export function precache(): Plugin {
  return {
    name: 'precache',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const worker = bundle[WORKER];
      if (worker?.type !== 'chunk') throw new Error(`The build has no ${WORKER}.`);
      if (worker.imports.length > 0) throw new Error(`${WORKER} must be one file.`);
      const publicFolder = resolve(import.meta.dirname, 'public');
      const publicFiles = readdirSync(publicFolder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(publicFolder, resolve(entry.parentPath, entry.name)));
      const built = Object.keys(bundle).filter((name) => name !== WORKER && name !== 'index.html');

      const hash = createHash('sha256').update(built.toSorted().join('\n'));
      for (const name of publicFiles) hash.update(readFileSync(resolve(publicFolder, name)));
      // By its content, since its name has no hash; so are the public files above.
      const index = bundle['index.html'];
      hash.update(index?.type === 'asset' ? index.source : '').update(worker.code);

      const files: Precache = {
        version: hash.digest('hex').slice(0, 12),
        shell: [
          '/',
          ...[...built.filter((name) => !ON_DEMAND.test(name)), ...publicFiles].map(addressOf),
        ],
        onDemand: built.filter((name) => ON_DEMAND.test(name)).map(addressOf),
      };
      if (!worker.code.includes('__PRECACHE__')) throw new Error(`${WORKER} takes no files.`);
      worker.code = worker.code.replaceAll('__PRECACHE__', JSON.stringify(files));
    },
  };
}

function addressOf(name: string): string {
  return `/${name}`;
}
