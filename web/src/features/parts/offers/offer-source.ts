import type { Schemas } from '@/api/client';
import { formatDate } from '@/lib/format';

const NAMES: Record<Schemas['SupplierSource'], string> = {
  'price-list': 'A price list',
  service: 'The supplier service',
  ebay: 'eBay',
  retailer: 'A retailer',
};

/** Where an offer comes from and since when: `Price list Spring 2027, as of Nov 20, 2026`. */
export function sourceText(supplier: Schemas['Supplier']): string {
  const { source, sourceName, asOf } = supplier;
  if (source === 'retailer') {
    return supplier.vehicleSpecificUrl === null
      ? 'Link to the shop’s start page'
      : 'Link to the shop’s search';
  }
  const name = source === 'price-list' ? `Price list ${sourceName}` : sourceName || NAMES[source];
  return asOf === null ? name : `${name}, as of ${formatDate(asOf)}`;
}

const FAILURES: Record<Schemas['SourceFailureReason'], string> = {
  'timed-out': 'did not answer in time',
  unreachable: 'could not be reached',
  'rate-limited': 'was asked too often; try again later',
  'key-rejected': 'rejected the key of this server; tell who runs it',
  'server-error': 'failed on its side; try again later',
  'request-rejected': 'did not take the question',
  'answer-too-large': 'answered with too much to read',
  'answer-invalid': 'answered with something that could not be read',
  'circuit-open': 'failed several times and is left alone for a while',
  'too-many-questions': 'is being asked too much at once; try again in a moment',
};

/** A sentence for each source whose prices are missing. */
export function missingSources(sources: Schemas['SupplierSourceStatus'][]): string[] {
  return sources.flatMap(({ source, failure }) =>
    failure === null ? [] : `${NAMES[source]} ${FAILURES[failure]}.`,
  );
}
