import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, read, type Schemas } from '@/api/client';
import { bodyQuery, readQuery } from '@/api/read-query';
import { PAGED } from '@/api/page';

/** Recent scans shown on the home screen (specification 1, section 9). */
const RECENT_SCANS_SHOWN = 3;
/** One page of the history. */
const HISTORY_PAGE_SIZE = 20;

/** Which scans of the history to show; null or an empty search shows all. */
export type HistoryFilter = {
  search: string;
  vehicleId: string | null;
  category: Schemas['PartCategory'] | null;
};

export const scanQueries = {
  /** Newest first; for one vehicle, or for all with `vehicleId` null. */
  recent: (vehicleId: string | null) =>
    readQuery(['scan', 'recent', { vehicleId }], (signal) =>
      client.GET('/api/scans/recent', {
        params: { query: { limit: RECENT_SCANS_SHOWN, ...(vehicleId !== null && { vehicleId }) } },
        signal,
      }),
    ),
  /** The history in pages, newest first; null for a visitor. */
  history: (filter: HistoryFilter) =>
    infiniteQueryOptions({
      queryKey: ['scan', 'history', filter],
      queryFn: ({ pageParam, signal }) =>
        read(
          client.GET('/api/scans', {
            params: {
              query: {
                limit: HISTORY_PAGE_SIZE,
                ...(filter.search !== '' && { q: filter.search }),
                ...(filter.vehicleId !== null && { vehicleId: filter.vehicleId }),
                ...(filter.category !== null && { category: filter.category }),
                ...(pageParam !== null && { before: pageParam }),
              },
            },
            signal,
          }),
        ),
      ...PAGED,
    }),
  /** One scan, such as one that an address leads to. */
  one: (id: string) =>
    bodyQuery(['scan', 'one', { id }], (signal) =>
      client.GET('/api/scans/{id}', { params: { path: { id } }, signal }),
    ),
};
