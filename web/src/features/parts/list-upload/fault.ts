import { formatBytes } from '@/lib/format';

/** Why a list cannot be sent, and the field that it is about; null where it is about no single one. */
export type ListFault<Name extends string> = { message: string; field: Name | 'file' | null };

/** Largest file that the server reads, in bytes. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** Why the file of a list cannot be sent; null where it can. */
export function fileFault(file: File | null, what: string): string | null {
  if (file === null) return `Choose ${what}, a CSV file.`;
  if (file.size === 0) return `${file.name} is empty. Choose another file.`;
  if (file.size > MAX_FILE_BYTES) {
    return `${file.name} is larger than ${formatBytes(MAX_FILE_BYTES)}. Split it into lists with a name each.`;
  }
  return null;
}
