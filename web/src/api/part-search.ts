import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, read, type Schemas } from '@/api/client';

/** Longest text that the server searches for. */
export const SEARCH_MAX_LENGTH = 100;

export type PartSearch = {
  text: string;
  category?: Schemas['PartCategory'] | null;
  limit?: number;
};

/** Part types and own parts by words, the best first; several screens search. */
export const partSearchQuery = ({ text, category = null, limit = 8 }: PartSearch) =>
  queryOptions({
    queryKey: ['part-search', { text, category, limit }],
    queryFn: ({ signal }) =>
      read(
        client.GET('/api/parts/search', {
          params: { query: { q: text, limit, ...(category !== null && { category }) } },
          signal,
        }),
      ),
    // A text without a letter or digit finds nothing, and the server refuses it.
    enabled: /[\p{L}\p{N}]/u.test(text),
    // The list stays while the next key is on its way.
    placeholderData: keepPreviousData,
  });
