import { read } from '@/api/client';

/** One piece of a long list, and what to ask with for the next; null behind the last. */
export type Page<Item> = { items: Item[]; next: string | null };

/** Unwraps a read of a list whose next piece is named by a header; null for a visitor. */
export async function readPage<Item>(
  call: Promise<{ data?: Item[]; response: Response }>,
): Promise<Page<Item> | null> {
  const items = await read(call);
  if (items === null) return null;
  // The same promise, which is settled by now: nothing is asked twice.
  return { items, next: (await call).response.headers.get('x-next-cursor') };
}

/** What an infinite query of such pages needs beside its key and its read. */
export const PAGED = {
  initialPageParam: null as string | null,
  getNextPageParam: (page: { next: string | null } | null): string | null => page?.next ?? null,
};

/** The items of all pages that have been loaded. */
export function itemsOf<Item>(pages: (Page<Item> | null)[] | undefined): Item[] {
  return pages?.flatMap((page) => page?.items ?? []) ?? [];
}

/** What a list that reads on by itself needs of its infinite query. */
export type Pages = {
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => Promise<unknown>;
};

/** Reads the next page. One that failed is read again only when a person asks for it. */
export function readOn({ hasNextPage, isFetching, isFetchNextPageError, fetchNextPage }: Pages) {
  if (hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
}
