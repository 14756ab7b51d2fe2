import type { Schemas } from '@/api/client';

/** The most lines that are listed at first: a carton has the maker's name on it ten times. */
const SHORT = 5;

/** What says which part it is comes first; a code is surer than the digits that are printed below it. */
const RANKS: Record<Schemas['ReadTextKind'], number> = {
  barcode: 0,
  'part-number': 1,
  vin: 2,
  brand: 3,
  size: 4,
  word: 5,
};

/** The places of the lines that are listed at first: the most telling ones, each text once. */
export function shortList(lines: readonly Schemas['ScanReadLine'][]): number[] {
  const seen = new Set<string>();
  return lines
    .map(({ kind, text }, place) => ({ place, rank: RANKS[kind], text: text.toLowerCase() }))
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, SHORT)
    .map(({ place }) => place);
}
