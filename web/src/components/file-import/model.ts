import { formatBytes } from '@/lib/format';

/** What every report of an import says. */
export type Report = {
  format: string;
  errors: number;
  ignoredColumns: string[];
  notes?: string[];
  rows: ReportRow[];
};

type ReportRow = { row: number; status: string; message?: string | null };

/** Why a file cannot be imported, before it is sent; null where it may be. */
export function fileFault(file: File, maxBytes: number): string | null {
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  if (file.size > maxBytes) {
    return `${file.name} is larger than ${formatBytes(maxBytes)}. Please import less at a time.`;
  }
  return null;
}

/** The rows, those that need a look first. */
export function rowsByNeed<Row extends ReportRow>(rows: Row[]): Row[] {
  const need = ({ status, message }: Row) =>
    status === 'error' ? 0 : (message ?? '') !== '' ? 1 : 2;
  return rows.toSorted((left, right) => need(left) - need(right) || left.row - right.row);
}
