import { queryOptions } from '@tanstack/react-query';
import { client, read } from '@/api/client';

/** Recent scans shown on the home screen (specification 1, section 9). */
export const RECENT_SCANS_SHOWN = 3;
/** One page of the history. */
export const HISTORY_PAGE_SIZE = 50;

export const scanQueries = {
  /** Newest first; for one vehicle, or for all with `vehicleId` null. */
  recent: (limit: number, vehicleId: string | null) =>
    queryOptions({
      queryKey: ['scan', 'recent', { limit, vehicleId }],
      queryFn: ({ signal }) =>
        read(
          client.GET('/api/scans/recent', {
            params: { query: { limit, ...(vehicleId !== null && { vehicleId }) } },
            signal,
          }),
        ),
    }),
  /** Where to buy a part; the scan's own list stands in while this has none. */
  suppliers: (partId: string) =>
    queryOptions({
      queryKey: ['scan', 'suppliers', { partId }],
      queryFn: ({ signal }) =>
        read(
          client.GET('/api/parts/{id}/ai-suppliers', { params: { path: { id: partId } }, signal }),
        ),
      retry: false,
    }),
};
