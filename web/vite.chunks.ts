import { resolve } from 'node:path';
import type { Rolldown } from 'vite';

type Group = NonNullable<Rolldown.CodeSplittingOptions['groups']>[number];
type Graph = Parameters<Extract<Group['name'], (...given: never[]) => unknown>>[1];

/** What runs before Home stands, as `scripts/first-load.js` counts it. */
const FIRST_LOAD = [
  'app/router.tsx',
  'app/providers.tsx',
  'app/routes/home.tsx',
  'app/shell/offline-support.tsx',
].map((file) => resolve(import.meta.dirname, 'src', file));

/** Which modules share a file; the rest is split by the screens and dialogs that load it. */
export function chunks(): Rolldown.CodeSplittingOptions {
  let first: Set<string> | undefined;
  return {
    groups: [
      {
        // React and the router change less often than the screens do; in a file of their own they
        // stay in the browser's cache across releases. Lists in pages and several queries at once
        // stay with the screens that have them.
        name: 'framework',
        test: /node_modules\/(react|react-dom|react-router|scheduler|@tanstack)\/(?!.*\/(infiniteQueryObserver|queriesObserver|useInfiniteQuery|useQueries)\.js)/,
        priority: 2,
      },
      {
        // By itself each module that screens share gets a file for that set of screens: Home would
        // wait for thirty small ones, which also compress worse than one.
        name: (id, graph) => {
          first ??= importedBy(FIRST_LOAD, graph);
          return first.has(id) ? 'shell' : null;
        },
        test: /\/src\//,
        minShareCount: 2,
        priority: 1,
      },
      {
        // Small modules that need nothing else of ours: the entry names each file of each screen.
        name: 'small',
        test: /\/src\/(hooks\/use-(address|dialog|focus|is-shown|keyed-call|last-error|one-at-a-time|open|own-document|photo-url|settled)|lib\/(initials|download|csv)\.)/,
        minShareCount: 2,
      },
      {
        // Icons that Home shares with other screens, which would each be a file of its own.
        name: 'icons',
        test: /lucide-react\/dist\/esm\/icons\/(camera|chevron-right|crop|scan-search|square|video)\.mjs$/,
        priority: 1,
      },
    ],
  };
}

/** The modules of ours that these need before they run, with themselves. */
function importedBy(roots: string[], graph: Graph): Set<string> {
  const found = new Set<string>();
  const follow = (id: string) => {
    // A library's index imports all of it, of which the build keeps little.
    if (found.has(id) || id.includes('/node_modules/')) return;
    found.add(id);
    graph.getModuleInfo(id)?.importedIds.forEach(follow);
  };
  roots.forEach(follow);
  return found;
}
