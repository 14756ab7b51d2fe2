import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { linkText } from '@/api/cross-reference';
import { Notice } from '@/components/ui/notice';
import { shopPartHref } from '@/config/paths';
import { readingQuery } from '@/features/scanning/result/reading-queries';

type Part = Schemas['ScanReadPart'];

/** The part that a number on it names, or what else such a number says of the answer. */
export function MatchedParts({ scanId }: { scanId: string }) {
  const { data } = useQuery(readingQuery(scanId));
  const parts = data?.parts ?? [];
  const [first] = parts;
  if (first === undefined) return null;
  if (first.says === 'named') {
    return (
      <Notice tone="good" title={`Its number says: ${nameOf(first)}`}>
        <p>
          <Read part={first} /> is on the part, and {knownFrom(first)}.
        </p>
      </Notice>
    );
  }
  if (first.says === 'contradicts') {
    return (
      <Notice tone="warn" title="Its number says something else">
        <p>
          <Read part={first} /> is on the part, and {knownFrom(first)}
          {first.typeName !== null && ` as ${first.typeName}`}. The photo looks like another part,
          so check both before you buy.
        </p>
      </Notice>
    );
  }
  return (
    <Notice
      tone="info"
      title={parts.length === 1 ? 'A part with this number' : 'Parts with this number'}
    >
      <ul className="grid gap-1">
        {parts.map((part, index) => (
          <li key={index}>
            <span className="font-medium">{nameOf(part)}</span>
            {part.via === null ? (
              <>
                : <Read part={part} /> may be its number, {knownFrom(part)}.
              </>
            ) : (
              <>
                {' '}
                (<Read part={part} />) {linkText(part.via)}, by your cross-references;{' '}
                {knownFrom(part)}.
              </>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The number as it stands on the part, and as the shop writes it where a character was taken for another. */
function Read({ part: { read, number, isExact, partId, via } }: { part: Part }) {
  const written = isExact || via !== null ? number : `${read} (${number}?)`;
  const text = <bdi className="font-mono wrap-anywhere">{written}</bdi>;
  if (partId === null) return text;
  return (
    <Link to={shopPartHref(partId)} className="underline hover:no-underline">
      {text}
    </Link>
  );
}

function nameOf({ name, typeName, brand, number }: Part): string {
  return [brand, name ?? typeName ?? number].filter((text) => text !== null).join(' ');
}

const SOURCES: Record<Schemas['ReadNumberSource'], string> = {
  shop: 'your shop has it',
  taught: 'you taught a part of that name',
  'price-list': 'one of your price lists has it',
  'cross-reference': 'your shop does not have it yet',
};

function knownFrom({ source }: Part): string {
  return SOURCES[source];
}
