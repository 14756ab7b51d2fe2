import { bodyOf, client, type Schemas } from '@/api/client';
import { keyOf } from '@/features/batches/model';
import type { BatchItem } from '@/features/batches/queries';

type Said = Schemas['NewScanFeedback'];

/** Corrections on their way at a time: the server takes more, and others use it too. */
const AT_A_TIME = 4;

const path = (id: string) => ({ params: { path: { id } } });

export const batchMutations = {
  create: (name: string) => bodyOf(client.POST('/api/batches', { body: { name } })),
  start: (id: string) => bodyOf(client.POST('/api/batches/{id}/start', path(id))),
  cancel: (id: string) => bodyOf(client.POST('/api/batches/{id}/cancel', path(id))),
  retry: (id: string) => bodyOf(client.POST('/api/batches/{id}/retry', path(id))),
  remove: (id: string) => client.DELETE('/api/batches/{id}', path(id)),
};

/** Sends photos, or one zip, each under its key. */
export function sendFiles(id: string, files: File[], signal: AbortSignal) {
  const body = new FormData();
  for (const file of files) {
    if (file.name.toLowerCase().endsWith('.zip')) {
      body.append('zip', file, file.name);
    } else {
      body.append('key', keyOf(file));
      body.append('photo', file, file.name);
    }
  }
  return bodyOf(
    client.POST('/api/batches/{id}/photos', {
      ...path(id),
      // OpenAPI has no type for a file; what travels is the form built above.
      body: { photo: files.map(({ name }) => name) },
      bodySerializer: () => body,
      signal,
    }),
  );
}

/** What is said of some answers, and what was said of each before. */
export type Correction = { items: BatchItem[]; said: Said };

/** Says the same of many answers. */
export async function correct({ items, said }: Correction): Promise<void> {
  await ofEach(items, (scan) => give(scan.id, said));
}

/** Takes a correction back: each answer has again what was said of it before, or nothing. */
export async function takeBack({ items }: Correction): Promise<void> {
  await ofEach(items, async ({ id, feedback }) => {
    if (feedback === null) {
      await client.DELETE('/api/scans/{id}/feedback', path(id));
    } else {
      const label = feedback.answer === 'other-part' ? feedback.label : null;
      await give(id, { answer: feedback.answer, ...(label !== null && { label }) });
    }
  });
}

function give(id: string, body: Said) {
  return client.POST('/api/scans/{id}/feedback', { ...path(id), body });
}

async function ofEach(
  items: BatchItem[],
  change: (scan: Schemas['BatchAnswer']) => Promise<unknown>,
): Promise<void> {
  const scans = items.flatMap(({ scan }) => (scan === null ? [] : [scan]));
  const worker = async () => {
    for (let scan = scans.shift(); scan !== undefined; scan = scans.shift()) await change(scan);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
}
