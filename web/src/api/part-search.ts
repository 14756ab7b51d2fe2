import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** Longest text that the server searches for. */
export const SEARCH_MAX_LENGTH = 100;

/** How many are shown. */
const LIMIT = 8;

/** Part types and own parts by words, the best first; several screens search. */
export const partSearchQuery = (text: string) =>
  queryOptions({
    queryKey: ['part-search', { text }],
    queryFn: ({ signal }) =>
      read(
        client.GET('/api/parts/search', {
          params: { query: { q: text, limit: LIMIT } },
          signal,
        }),
      ),
    // A text without a letter or digit finds nothing, and the server refuses it.
    enabled: /[\p{L}\p{N}]/u.test(text),
    // The list stays while the next key is on its way.
    placeholderData: keepPreviousData,
  });
