import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';

/** The parts of the shop whose photos look like a scan. */
export const similarPartsQuery = (scanId: string) =>
  bodyQuery(['similar-parts', { scanId }], (signal) =>
    client.GET('/api/scans/{id}/similar-parts', { params: { path: { id: scanId } }, signal }),
  );
