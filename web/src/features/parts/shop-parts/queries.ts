import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';
import { PAGED, readPage } from '@/api/page';

const PAGE_SIZE = 50;
/** The most that the server gives at once. */
const CHOICE_SIZE = 200;

export const shopPartQueries = {
  /** The parts of the shop, the newest first. */
  list: () =>
    infiniteQueryOptions({
      queryKey: ['shop-parts', 'list'],
      queryFn: ({ pageParam, signal }) =>
        readPage(
          client.GET('/api/catalog/parts', {
            params: {
              query: {
                limit: PAGE_SIZE,
                ...(pageParam !== null && { before: pageParam }),
              },
            },
            signal,
          }),
        ),
      ...PAGED,
    }),
  /** The newest parts of one type, of which a choice can be made, and whether there are more. */
  ofType: (label: string) =>
    queryOptions({
      queryKey: ['shop-parts', 'ofType', { label }],
      queryFn: ({ signal }) =>
        readPage(
          client.GET('/api/catalog/parts', {
            params: { query: { label, limit: CHOICE_SIZE } },
            signal,
          }),
        ),
    }),
  /** One part, such as one that a search found. */
  one: (id: string) =>
    bodyQuery(['shop-parts', 'one', { id }], (signal) =>
      client.GET('/api/catalog/parts/{id}', { params: { path: { id } }, signal }),
    ),
};
