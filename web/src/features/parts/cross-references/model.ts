import type { Schemas } from '@/api/client';
import { fileFault, type ListFault } from '@/features/parts/list-upload/fault';
import { countOf } from '@/lib/format';

export type CrossReferenceForm = Record<'name' | 'delimiter', string>;

export const EMPTY_CROSS_REFERENCES: CrossReferenceForm = { name: '', delimiter: '' };

/** What the columns of a list can hold. */
export const CROSS_REFERENCE_FIELDS: [field: string, name: string][] = [
  ['number', 'Number'],
  ['brand', 'Brand'],
  ['relation', 'Equals or replaces'],
  ['otherNumber', 'Other number'],
  ['otherBrand', 'Other brand'],
];

/** Why a list cannot be sent; null where it can. */
export function uploadFault(
  form: CrossReferenceForm,
  file: File | null,
): ListFault<keyof CrossReferenceForm> | null {
  if (form.name.trim() === '') {
    return { message: 'Enter a name for the list.', field: 'name' };
  }
  const message = fileFault(file, 'the list');
  return message === null ? null : { message, field: 'file' };
}

/** `120 rows would be saved, 1 error.` */
export function summaryOf({ saved, accepted, errors }: Schemas['CrossReferenceReport']): string {
  const rows = `${countOf(accepted, 'row')} ${saved ? 'saved' : 'would be saved'}`;
  return errors > 0 ? `${rows}, ${countOf(errors, 'error')}.` : `${rows}.`;
}

/** A row as people say it: `Bosch 0 986 479 equals VW 1K0 615 301`. */
export function sentenceOfRow({
  number,
  brand,
  relation,
  otherNumber,
  otherBrand,
}: Schemas['CrossReferencePreview']): string {
  return [brand, number, relation, otherBrand, otherNumber].filter(Boolean).join(' ');
}

/** What is wrong with a row, and in which column: two of them hold a number. */
export function problemText(field: string, message: string): string {
  const column = CROSS_REFERENCE_FIELDS.find(([name]) => name === field)?.[1];
  return column === undefined ? message : `${column}: ${message}`;
}

/** Where this browser keeps an upload that waits for somebody to sign in. */
export const UPLOAD_DRAFT = 'draft.cross-references';
