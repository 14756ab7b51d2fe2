import { infiniteQueryOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';
import { PAGED } from '@/api/page';
import { bodyQuery, readQuery } from '@/api/read-query';

export type Batch = Schemas['Batch'];
export type BatchItem = Schemas['BatchItem'];

/** How often the numbers of a batch are read while it runs, and how often its photos. */
const PROGRESS_MS = 1500;
const ITEMS_MS = 4000;
/** The most that the server gives at a time: a batch of 10,000 photos is 20 pages. */
const PAGE_SIZE = 500;

/** Which photos of a batch to show; empty for all. */
export type ItemFilter = { state: string; verdict: string; type: string; sort: 'doubt' | 'sent' };

export const ALL_ITEMS: ItemFilter = { state: '', verdict: '', type: '', sort: 'doubt' };

export const batchQueries = {
  list: () => readQuery(['batches', 'list'], (signal) => client.GET('/api/batches', { signal })),
  /** One batch, read again and again while it runs. */
  one: (id: string) => ({
    ...bodyQuery(['batches', 'one', { id }], (signal) =>
      client.GET('/api/batches/{id}', { params: { path: { id } }, signal }),
    ),
    refetchInterval: ({ state }: { state: { data?: Batch | undefined } }) =>
      state.data?.state === 'running' ? PROGRESS_MS : false,
  }),
  /** The photos of a batch in pages. */
  items: (id: string, filter: ItemFilter, running: boolean) =>
    infiniteQueryOptions({
      queryKey: ['batches', 'items', { id, ...filter }],
      queryFn: ({ pageParam, signal }) => readItems(id, filter, pageParam, signal),
      refetchInterval: running ? ITEMS_MS : false,
      ...PAGED,
    }),
};

function readItems(
  id: string,
  { state, verdict, type, sort }: ItemFilter,
  cursor: string | null,
  signal?: AbortSignal,
) {
  return bodyOf(
    client.GET('/api/batches/{id}/items', {
      params: {
        path: { id },
        query: {
          limit: PAGE_SIZE,
          sort,
          ...(state !== '' && { state }),
          ...(verdict !== '' && { verdict }),
          ...(type !== '' && { type }),
          ...(cursor !== null && { cursor }),
        },
      },
      ...(signal !== undefined && { signal }),
    }),
  );
}

/** The keys of all photos that a batch has, so that none is sent a second time. */
export async function keysOf(id: string): Promise<Set<string>> {
  const keys = new Set<string>();
  let cursor: string | null = null;
  do {
    const page: Schemas['BatchItemsPage'] = await readItems(
      id,
      { ...ALL_ITEMS, sort: 'sent' },
      cursor,
    );
    for (const { key } of page.items) keys.add(key);
    cursor = page.next;
  } while (cursor !== null);
  return keys;
}

/** Where the results of a batch are saved from. */
export const resultsHref = (id: string, format: 'csv' | 'jsonl') =>
  `/api/batches/${encodeURIComponent(id)}/results?format=${format}`;
