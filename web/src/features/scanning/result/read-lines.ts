import type { Schemas } from '@/api/client';
import { SEARCH_MAX_LENGTH } from '@/api/part-search';

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

/** The most texts of a reading that are looked for as the part that it is of, and the fewest characters of a word. */
const MOST_TRIED = 4;
const WORD_MIN_LENGTH = 3;

type NamingText = { text: string; isNumber: boolean };

/** What of a reading may name the part in the search, the surest first: numbers that are known, other numbers, words. */
export function namingTexts({ parts, lines }: Schemas['ScanReading']): NamingText[] {
  const known = parts.map(({ number }) => ({ text: number, isNumber: true }));
  const read = lines
    .filter(({ kind }) => kind !== 'vin' && kind !== 'size')
    .sort((one, other) => RANKS[one.kind] - RANKS[other.kind] || other.confidence - one.confidence)
    .map(({ kind, text, number, brand }) => ({
      text: number ?? (kind === 'brand' ? brand : null) ?? text,
      isNumber: number !== null,
    }));
  const seen = new Set<string>();
  return [...known, ...read]
    .filter(({ text, isNumber }) => isNumber || text.length >= WORD_MIN_LENGTH)
    .filter(({ text }) => text.length <= SEARCH_MAX_LENGTH && !seen.has(text) && seen.add(text))
    .slice(0, MOST_TRIED);
}

/** Whether a text names a part among those that the search found: a word is found in what is said about a part as well. */
export function namesPart(
  { text, isNumber }: NamingText,
  found: readonly Schemas['FoundPartItem'][],
): boolean {
  if (isNumber) return found.length > 0;
  const word = text.toLowerCase();
  return found.some((part) =>
    [part.name, part.brand].some((name) => name?.toLowerCase().includes(word)),
  );
}
