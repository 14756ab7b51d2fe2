import type { Schemas } from '@/api/client';

const LINKS: Record<Schemas['CrossReferenceLink'], string> = {
  equal: 'equals',
  newer: 'replaces',
  older: 'is replaced by',
};

/** What a part is to the number that led to it: `replaces Bosch 0 986 479`. */
export function linkText({ link, ofNumber, ofBrand }: Schemas['CrossReferenceTo']): string {
  return [LINKS[link], ofBrand, ofNumber].filter((text) => text !== null).join(' ');
}
