import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client } from '@/api/client';

/** The parts of the shop whose photos look like a scan. */
export const similarPartsQuery = (scanId: string) =>
  queryOptions({
    queryKey: ['similar-parts', { scanId }],
    queryFn: ({ signal }) =>
      bodyOf(
        client.GET('/api/scans/{id}/similar-parts', { params: { path: { id: scanId } }, signal }),
      ),
  });
