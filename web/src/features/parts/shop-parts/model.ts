import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import type { RowLook } from '@/components/row-table';
import { countOf } from '@/lib/format';
import { optionalAmount, optionalText, rule, text, textThat } from '@/lib/form-schema';
import { givenText } from '@/lib/numbers';

type ShopPart = Schemas['ShopPart'];

type ShopPartForm = Record<
  'label' | 'number' | 'brand' | 'name' | 'price' | 'currency' | 'notes',
  string
> & {
  fitments: FitmentForm[];
  /** Ids of the photos that show this part, and the part type that they were chosen from. */
  photos: { label: string; ids: string[] };
};

export type FitmentForm = {
  make: string;
  model: string;
  yearFrom: string;
  yearTo: string;
  note: string;
  fits: boolean;
};

export const EMPTY_FITMENT: FitmentForm = {
  make: '',
  model: '',
  yearFrom: '',
  yearTo: '',
  note: '',
  fits: true,
};

export function formOfPart(part: ShopPart | null): ShopPartForm {
  return {
    label: part?.label ?? '',
    number: part?.number ?? '',
    brand: part?.brand ?? '',
    name: part?.name ?? '',
    price: part?.price == null ? '' : (part.price.cents / 100).toFixed(2),
    currency: part?.price?.currency ?? 'USD',
    notes: part?.notes ?? '',
    fitments: fitmentsOfPart(part),
    photos: { label: part?.label ?? '', ids: (part?.photos ?? []).map(({ id }) => id) },
  };
}

function fitmentsOfPart(part: ShopPart | null): FitmentForm[] {
  return (part?.fitments ?? []).map(({ make, model, yearFrom, yearTo, note, fits }) => ({
    make,
    model: model ?? '',
    yearFrom: yearFrom?.toString() ?? '',
    yearTo: yearTo?.toString() ?? '',
    note: note ?? '',
    fits,
  }));
}

/** Photos that the server takes of a part. */
export const MAX_PHOTOS = 10;

/** Photos show one part type; those of another are none of this part. */
export function photosOf({ label, photos }: Pick<ShopPartForm, 'label' | 'photos'>): string[] {
  return photos.label === label ? photos.ids : [];
}

const fitment = z.object({
  make: z.string(),
  model: z.string(),
  yearFrom: z.string(),
  yearTo: z.string(),
  note: z.string(),
  fits: z.boolean(),
});

/** The vehicles; a line that was added and never filled in says nothing. */
const fitments = z.pipe(
  z.pipe(
    z.array(fitment),
    z.transform((lines) =>
      lines.filter((line) =>
        [line.make, line.model, line.yearFrom, line.yearTo, line.note].some((typed) =>
          typed.trim(),
        ),
      ),
    ),
  ),
  z.array(
    z.object({
      make: text('Enter the make of each vehicle, or remove its line.'),
      model: optionalText,
      yearFrom: optionalText,
      yearTo: optionalText,
      note: optionalText,
      fits: z.boolean(),
    }),
  ),
);

/** The request. */
export const shopPartSchema = z.pipe(
  z.object({
    label: textThat(rule((label) => label !== '', 'Choose which part it is. Search for its name.')),
    number: text('Enter the part number.'),
    brand: optionalText,
    name: optionalText,
    price: optionalAmount,
    currency: z.string(),
    notes: optionalText,
    fitments,
    photos: z.object({ label: z.string(), ids: z.array(z.string()) }),
  }),
  z.transform(({ currency, photos, ...part }) => ({
    ...part,
    currency: part.price === null ? null : givenText(currency.toUpperCase()),
    photos: photosOf({ label: part.label, photos }),
  })),
) satisfies z.ZodMiniType<Schemas['NewShopPart'], ShopPartForm>;

/** `NGK ILZKR7B-11S`. */
export function numberText({ brand, number }: Pick<ShopPart, 'brand' | 'number'>): string {
  return brand === null ? number : `${brand} ${number}`;
}

/** `2012 – 2015 Honda Civic`, or with what it does not fit said first. */
export function fitmentText(fitment: Schemas['ShopPartFitment']): string {
  const { yearFrom, yearTo, make, model, note, fits } = fitment;
  const years =
    yearFrom === yearTo
      ? yearFrom === null
        ? ''
        : `${yearFrom} `
      : `${yearFrom ?? 'up to'}${yearFrom !== null && yearTo !== null ? '–' : ' '}${yearTo ?? 'on'} `;
  const vehicle = `${years}${make}${model === null ? ', all models' : ` ${model}`}`;
  return `${fits ? '' : 'Not '}${vehicle}${note === null ? '' : ` (${note})`}`;
}

export function isXml({ name, type }: File): boolean {
  return /\.xml$/i.test(name) || /\bxml$/.test(type);
}

export const FORMATS: Record<string, string> = { csv: 'CSV', aces: 'ACES', pies: 'PIES' };

/** `12 new parts would be added, 3 rows changed.` */
export function summaryOf(report: Schemas['ShopPartsImport']): string {
  const { saved, changed, unchanged, skipped, errors } = report;
  const added = countOf(report.new, 'new part');
  const parts = [
    saved ? `${added} added` : `${added} would be added`,
    changed > 0 && `${countOf(changed, 'row')} ${saved ? 'changed a part' : 'would change a part'}`,
    unchanged > 0 && `${unchanged} known already`,
    skipped > 0 && `${skipped} not imported`,
    errors > 0 && countOf(errors, 'error'),
  ];
  return `${parts.filter(Boolean).join(', ')}.`;
}

export const ROW_STATUS: Record<Schemas['ShopPartsImportRowStatus'], RowLook> = {
  new: { word: 'New', tone: 'good' },
  changed: { word: 'Changed', tone: 'primary' },
  unchanged: { word: 'Known', tone: 'neutral' },
  skipped: { word: 'Not imported', tone: 'outline' },
  error: { word: 'Error', tone: 'bad' },
};

/** Where this browser keeps the form of a part, or of a new one. */
export function shopPartDraftKey(part: Pick<Schemas['ShopPart'], 'id'> | null): string {
  return `draft.shop-part.${part?.id ?? 'new'}`;
}

/** Where this browser keeps an import that waits for somebody to sign in. */
export const IMPORT_DRAFT = 'draft.shop-parts-import';
