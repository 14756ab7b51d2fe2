import type { Schemas } from '@/api/client';
import type { ListFault } from '@/features/parts/list-upload/fault';
import { countOf, formatBytes } from '@/lib/format';

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

/** Largest file that the server reads, in bytes. */
const MAX_FILE_BYTES = 100_000_000;

/** Why a list cannot be sent; null where it can. */
export function uploadFault(
  form: CrossReferenceForm,
  file: File | null,
): ListFault<keyof CrossReferenceForm> | null {
  if (form.name.trim() === '') {
    return { message: 'Enter a name for the list.', field: 'name' };
  }
  const message = fileFault(file);
  return message === null ? null : { message, field: 'file' };
}

function fileFault(file: File | null): string | null {
  if (file === null) return 'Choose the list, a CSV file.';
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  if (file.size > MAX_FILE_BYTES) {
    return `${file.name} has ${formatBytes(file.size)}. A list has at most 100 MB; split it into lists with a name each.`;
  }
  return null;
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
