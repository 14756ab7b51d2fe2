import { queryOptions } from '@tanstack/react-query';
import { bodyOf, client, type Schemas } from '@/api/client';

/** Between two looks at whether the text of a scan is read. */
const PENDING_MS = 700;
/** Looks after which nobody waits any more: the server gives a reading up before that. */
const MOST_LOOKS = 60;

/** The text on the photographs of a scan; asked again while the server is at it. */
export const readingQuery = (scanId: string) =>
  queryOptions({
    queryKey: ['scan', 'reading', { scanId }],
    queryFn: ({ signal }) =>
      bodyOf(client.GET('/api/scans/{id}/reading', { params: { path: { id: scanId } }, signal })),
    refetchInterval: ({ state }) =>
      state.data?.state === 'pending' && state.dataUpdateCount < MOST_LOOKS ? PENDING_MS : false,
  });

export const readingMutations = {
  /** Says what a line really says; a blank text takes that back. */
  correct: (scanId: string) => (body: { line: number; text: string }) =>
    bodyOf(client.PUT('/api/scans/{id}/reading', { params: { path: { id: scanId } }, body })),
};

/**
 * The number on the part, where the shop knows it as it was read: a misread one would hide every
 * offer of a supplier that finds parts by number.
 */
export function surelyRead(reading: Schemas['ScanReading'] | undefined): string | null {
  return reading?.parts.find(({ isExact }) => isExact)?.read ?? null;
}

/** The number on the part, once it has named the part, as it was read. */
export function namedBy(reading: Schemas['ScanReading'] | undefined): string | null {
  return reading?.parts.find(({ says, isExact }) => says === 'named' && isExact)?.read ?? null;
}

/** Whether a number on the part settles the answer, or opens it again. */
export function changesAnswer(reading: Schemas['ScanReading'] | undefined): boolean {
  return reading?.parts.some(({ says }) => says !== 'likely') ?? false;
}
