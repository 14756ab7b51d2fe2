import type { Schemas } from '@/api/client';
import { fileFault, type ListFault } from '@/features/parts/list-upload/fault';
import { countOf, formatCount } from '@/lib/format';

export type PriceListForm = Record<
  | 'supplier'
  | 'name'
  | 'currency'
  | 'website'
  | 'urlTemplate'
  | 'phone'
  | 'shippingInfo'
  | 'delimiter'
  | 'decimalSign',
  string
>;

export const EMPTY_PRICE_LIST: PriceListForm = {
  supplier: '',
  name: '',
  currency: 'USD',
  website: '',
  urlTemplate: '',
  phone: '',
  shippingInfo: '',
  delimiter: '',
  decimalSign: '',
};

/** What the columns of a list can hold. */
export const LIST_FIELDS: [field: string, name: string][] = [
  ['label', 'Part type (label)'],
  ['part', 'Part name'],
  ['partNumber', 'Part number'],
  ['brand', 'Brand'],
  ['price', 'Price'],
  ['currency', 'Currency'],
  ['inStock', 'In stock'],
  ['shipping', 'Shipping'],
  ['url', 'Web page'],
  ['notes', 'Notes'],
  ['make', 'Vehicle make'],
  ['model', 'Vehicle model'],
  ['firstYear', 'First model year'],
  ['lastYear', 'Last model year'],
];

/** Why a list cannot be sent; null where it can. */
export function uploadFault(
  form: PriceListForm,
  file: File | null,
): ListFault<keyof PriceListForm> | null {
  if (form.supplier.trim() === '') {
    return { message: 'Enter who sells at these prices.', field: 'supplier' };
  }
  const message = fileFault(file, 'the price list');
  return message === null ? null : { message, field: 'file' };
}

const SIGNS: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t' };

/** The names in the first row of a file, for people to choose from; `delimiter` may be empty. */
export function headersOf(text: string, delimiter: string): string[] {
  const [row = ''] = /^(?:"[^"]*"|[^"\r\n])*/.exec(text.replace(/^\uFEFF/, '')) ?? [];
  const unquoted = row.replaceAll(/"[^"]*"/g, '');
  const count = (sign: string) => unquoted.split(sign).length;
  const sign =
    SIGNS[delimiter] ??
    Object.values(SIGNS).reduce((best, other) => (count(other) > count(best) ? other : best));
  const cells = row.match(new RegExp(`(?:"[^"]*"|[^"${sign}])+`, 'g')) ?? [];
  return [...new Set(cells.map(cellText).filter((text) => text !== ''))];
}

/** What a cell says: two quotation marks within the marks around it stand for one. */
function cellText(cell: string): string {
  const [, quoted] = /^\s*"([^]*)"\s*$/.exec(cell) ?? [];
  return (quoted?.replaceAll('""', '"') ?? cell).trim();
}

/** `120 rows would be saved, 3 without a price, 1 error.` */
export function summaryOf(report: Schemas['PriceListReport']): string {
  const { saved, accepted, skipped, errors } = report;
  const rows = countOf(accepted, 'row');
  const parts = [
    saved ? `${rows} saved` : `${rows} would be saved`,
    skipped > 0 && `${formatCount(skipped)} without a price`,
    errors > 0 && countOf(errors, 'error'),
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

const SEVERITIES: Record<
  Schemas['ProblemSeverity'],
  { word: string; tone: 'bad' | 'outline' | 'neutral'; need: number }
> = {
  error: { word: 'Error', tone: 'bad', need: 0 },
  skipped: { word: 'Left out', tone: 'outline', need: 1 },
  note: { word: 'Note', tone: 'neutral', need: 2 },
};

/** What the form calls the sign before decimals. */
export const DECIMAL_SIGN = 'Decimals come after';

/** What there is to say of rows, the worst first. */
export function problemRows({ problems }: Schemas['PriceListReport']) {
  return problems
    .toSorted(
      (left, right) =>
        SEVERITIES[left.severity].need - SEVERITIES[right.severity].need || left.row - right.row,
    )
    .map(({ row, severity, message }) => ({
      row,
      // The server names the field as programs do.
      message: message.replace('(`decimalSign`)', `under "${DECIMAL_SIGN}"`),
      ...SEVERITIES[severity],
    }));
}

/** Where this browser keeps an upload that waits for somebody to sign in. */
export const UPLOAD_DRAFT = 'draft.price-list';
