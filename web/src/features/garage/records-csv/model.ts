import type { Schemas } from '@/api/client';
import type { RowLook } from '@/components/row-table';
import { countOf } from '@/lib/format';

/** What can be imported and exported. */
export const KINDS = {
  vehicles: 'Vehicles',
  'oil-changes': 'Oil changes',
  repairs: 'Repairs',
  odometer: 'Odometer readings',
} as const;

export type Kind = keyof typeof KINDS;

/** How dates can be read that leave it open. */
export const DATE_ORDERS = {
  'month-day': '3/12/2025 is March 12',
  'day-month': '3/12/2025 is December 3',
} as const;

export type DateOrder = keyof typeof DATE_ORDERS;

/** Whose columns a file can have. */
export const EXPORT_FORMATS = {
  partsight: 'Spreadsheet',
  lubelogger: 'LubeLogger',
  fuelly: 'Fuelly',
} as const;

export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** Which files the program reads. */
export const EXPORTED_KINDS: Record<ExportFormat, Kind[]> = {
  partsight: ['vehicles', 'oil-changes', 'repairs', 'odometer'],
  lubelogger: ['oil-changes', 'repairs', 'odometer'],
  fuelly: ['odometer'],
};

/** Where the file is; LubeLogger's are of one vehicle. */
export function exportHref(kind: Kind, format: ExportFormat, vehicleId: string): string {
  const address = `/api/export/${kind}.csv`;
  if (format === 'partsight') return address;
  const query = new URLSearchParams({ format });
  if (format === 'lubelogger') query.set('vehicleId', vehicleId);
  return `${address}?${query.toString()}`;
}

export const STATUSES: Record<Schemas['ImportRowStatus'], RowLook> = {
  new: { word: 'New', tone: 'good' },
  duplicate: { word: 'Already there', tone: 'neutral' },
  skipped: { word: 'Skipped', tone: 'outline' },
  error: { word: 'Error', tone: 'bad' },
};

/** `12 rows would be added, 3 are there already.` */
export function summaryOf(result: Schemas['ImportResult']): string {
  const { saved, duplicates, skipped, errors } = result;
  const added = countOf(result.new, 'row');
  const parts = [
    saved ? `${added} ${result.new === 1 ? 'was' : 'were'} added` : `${added} would be added`,
    duplicates > 0 && `${duplicates} already there`,
    skipped > 0 && `${skipped} with nothing to keep`,
    errors > 0 && countOf(errors, 'error'),
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

export const FORMATS: Record<string, string> = {
  partsight: 'a Partsight file',
  lubelogger: 'a LubeLogger file',
  fuelly: 'a Fuelly file',
};

/** Where this browser keeps an import that waits for somebody to sign in. */
export const IMPORT_DRAFT = 'draft.records-import';
