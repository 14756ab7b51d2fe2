import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';
import { PAGED } from '@/api/page';
import { bodyQuery, readQuery } from '@/api/read-query';
import { formatScanTime } from '@/lib/format';

export type Batch = Schemas['Batch'];
export type BatchItem = Schemas['BatchItem'];

/** How often the numbers of a batch are read while it runs, and how often its photos. */
const PROGRESS_MS = 1500;
const ITEMS_MS = 4000;
/** The most that the server gives at a time: a batch of 10,000 photos is 20 pages. */
const PAGE_SIZE = 500;

/** Which photos of a batch to show; empty for all. */
export type ItemFilter = {
  state: string;
  verdict: string;
  type: string;
  /** A part of a part number, as it was read on the part or as it stands in the name of the file. */
  number: string;
  sort: 'doubt' | 'sent';
  discarded: boolean;
};

export const ALL_ITEMS: ItemFilter = {
  state: '',
  verdict: '',
  type: '',
  number: '',
  sort: 'doubt',
  discarded: false,
};

/** All that is not discarded, as it was sent. */
export const SENT_ITEMS: ItemFilter = { ...ALL_ITEMS, sort: 'sent' };

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
  /** A folder of the server, with those in it. */
  folder: (path: string) =>
    bodyQuery(['batches', 'folder', { path }], (signal) =>
      client.GET('/api/batches/folders', { params: { query: { path } }, signal }),
    ),
  /** The photos of a batch in pages. */
  items: (id: string, filter: ItemFilter, running: boolean) =>
    infiniteQueryOptions({
      queryKey: ['batches', 'items', { id, ...filter }],
      queryFn: ({ pageParam, signal }) => readItems(id, filter, pageParam, signal),
      refetchInterval: running ? ITEMS_MS : false,
      ...PAGED,
    }),
  /** The part types that a batch shows by now, the most frequent first. */
  types: (id: string, running: boolean) =>
    queryOptions({
      ...bodyQuery(['batches', 'types', { id }], (signal) =>
        client.GET('/api/batches/{id}/types', { params: { path: { id } }, signal }),
      ),
      refetchInterval: running ? ITEMS_MS : false,
    }),
};

function readItems(
  id: string,
  { sort, discarded, ...more }: ItemFilter,
  cursor: string | null,
  signal?: AbortSignal,
) {
  return readPhotos(id, { sort, discarded, grouped: true, ...more }, cursor, signal);
}

/** As [readItems], each photo by itself and those that were taken out as well. */
function readPhotos(
  id: string,
  { state, verdict, type, number, ...more }: Partial<ItemFilter> & { grouped?: boolean },
  cursor: string | null,
  signal?: AbortSignal,
) {
  return bodyOf(
    client.GET('/api/batches/{id}/items', {
      params: {
        path: { id },
        query: {
          limit: PAGE_SIZE,
          ...more,
          ...(state && { state }),
          ...(verdict && { verdict }),
          ...(type && { type }),
          ...(number && { number }),
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
    const page: Schemas['BatchItemsPage'] = await readPhotos(id, {}, cursor);
    for (const { key } of page.items) keys.add(key);
    cursor = page.next;
  } while (cursor !== null);
  return keys;
}

/** The grades that some scans of a batch have now. */
export async function gradesOf(
  id: string,
  scans: ReadonlySet<string>,
): Promise<Map<string, BatchItem['grade']>> {
  const grades = new Map<string, BatchItem['grade']>();
  let cursor: string | null = null;
  do {
    const page: Schemas['BatchItemsPage'] = await readPhotos(id, {}, cursor);
    for (const { scan, grade } of page.items) {
      if (scan !== null && scans.has(scan.id)) grades.set(scan.id, grade);
    }
    cursor = page.next;
  } while (cursor !== null && grades.size < scans.size);
  return grades;
}

/** The scans of the past as items, in pages, so that the same grid shows them. */
export const historyQueries = {
  items: (filter: HistoryItemFilter) =>
    infiniteQueryOptions({
      queryKey: ['batches', 'history', filter],
      queryFn: async ({ pageParam, signal }) => {
        const { search, category, verdict, labelled, discarded } = filter;
        const query = {
          limit: HISTORY_PAGE_SIZE,
          discarded,
          ...(search !== '' && { q: search }),
          ...(category !== null && { category }),
          ...(verdict !== '' && { verdict }),
          ...(labelled !== '' && { hasFeedback: labelled === 'yes' }),
          ...(pageParam !== null && { before: pageParam }),
        };
        const page = await bodyOf(client.GET('/api/scans', { params: { query }, signal }));
        return { ...page, items: page.scans.map(itemOfScan) };
      },
      ...PAGED,
    }),
};

/** Which scans of the past to show; empty or null for all. */
export type HistoryItemFilter = {
  search: string;
  category: Schemas['PartCategory'] | null;
  verdict: string;
  labelled: string;
  discarded: boolean;
};

/** The most that the server gives at a time. */
const HISTORY_PAGE_SIZE = 100;

function itemOfScan(scan: Schemas['RecentScan']): BatchItem {
  const { id, verdict, confidence, thumbnailUrl, photoUrl, feedback } = scan;
  const { partName, label } = scan.identification;
  return {
    id,
    key: id,
    file: formatScanTime(scan.scannedAt),
    state: 'answered',
    problem: null,
    duplicateOf: null,
    discarded: false,
    grade: null,
    group: null,
    groupedBy: null,
    scan: { id, verdict, partName, label, confidence, thumbnailUrl, photoUrl, feedback },
  };
}

export const gradeQueries = {
  scale: () =>
    readQuery(['batches', 'grades'], (signal) => client.GET('/api/grades/scale', { signal })),
  totals: (from: string, to: string) =>
    bodyQuery(['batches', 'grade-totals', { from, to }], (signal) =>
      client.GET('/api/grades/totals', {
        params: { query: { from, to, utcOffset: -new Date().getTimezoneOffset() } },
        signal,
      }),
    ),
};

/** Where the results of a batch are saved from. */
export const resultsHref = (id: string, format: 'csv' | 'xlsx' | 'jsonl' | 'parquet') =>
  `/api/batches/${encodeURIComponent(id)}/results?format=${format}`;
