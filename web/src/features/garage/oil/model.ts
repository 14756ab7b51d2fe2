import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { formatPercent } from '@/lib/format';
import { isFilled, optionalText, rule } from '@/lib/form-schema';

/** The four tips of the oil specification. */
export const SAFETY_TIPS = [
  'Park on level ground, set the parking brake and let the engine cool for a while: warm oil drains well, hot oil burns.',
  'Never work under a car that only a jack holds. Use jack stands or ramps, and chock the wheels.',
  'Fill in less than the stated capacity, wait, read the dipstick and top up: too much oil harms an engine like too little.',
  'Take the old oil and filter to a collection point. Most parts stores take them for free; never pour oil away.',
] as const;

const SOURCES: Record<Schemas['ValueSource'], string> = {
  owner: 'Entered by you',
  ai: 'AI, verify',
  table: 'From our table',
  fallback: 'Common value, not checked for this car',
  none: 'Not needed',
};

/** Where a value comes from and how sure it is: `From our table, 90% sure`. */
export function sourceText(basis: Schemas['ValueBasis']): string {
  const source = SOURCES[basis.source];
  return basis.confidence === null || basis.source !== 'table'
    ? source
    : `${source}, ${formatPercent(basis.confidence)} sure`;
}

type SpecRow = { term: string; value: string; basis: Schemas['ValueBasis'] | null };

/** The lines of the specification; what is not known is left out. */
export function specRows(specs: Schemas['OilSpecs']): SpecRow[] {
  const { basis } = specs;
  const rows: SpecRow[] = [
    { term: 'Oil type', value: specs.oilType, basis: basis.oilType },
    { term: 'Capacity', value: specs.oilCapacity, basis: basis.oilCapacity },
    ...specs.oilFilter.map((value, index) => ({
      term: index === 0 ? 'Filter' : 'Or filter',
      value,
      basis: basis.oilFilter[index] ?? null,
    })),
    { term: 'Change every', value: specs.changeInterval, basis: basis.changeInterval },
  ];
  if (specs.standard !== null) {
    rows.push({ term: 'Quality', value: specs.standard, basis: basis.standard });
  }
  // A car without engine oil has none to buy.
  if (specs.source !== 'none') {
    rows.push({ term: 'Brands', value: brandsText(specs.recommendedBrands), basis: null });
  }
  return rows;
}

/** What the car's maker names is an example; what counts is grade and quality. */
function brandsText(brands: string[]): string {
  const any = 'any brand of this grade and quality';
  return brands.length === 0
    ? any.charAt(0).toUpperCase() + any.slice(1)
    : `${brands.join(', ')} (named by the maker), or ${any}`;
}

type OwnOilForm = Record<'oilType' | 'oilCapacityQuarts' | 'oilFilter', string>;

export function formOfOwnOil(own: Schemas['VehicleOil'] | null): OwnOilForm {
  return {
    oilType: own?.oilType ?? '',
    oilCapacityQuarts: own?.oilCapacityQuarts == null ? '' : String(own.oilCapacityQuarts),
    oilFilter: own?.oilFilter ?? '',
  };
}

export const ownOilSchema = z
  .object({
    oilType: optionalText,
    oilCapacityQuarts: z.pipe(
      z
        .string()
        .check(
          rule(
            (typed) => !Number.isNaN(quartsOf(typed)),
            'Please enter the capacity as a number of quarts, like 4.4.',
          ),
        ),
      z.transform(quartsOf),
    ),
    oilFilter: optionalText,
  })
  .check(
    z.refine((values) => Object.values(values).some((value) => value !== null), {
      error: 'Please enter at least one value.',
      path: ['oilType'],
    }),
  ) satisfies z.ZodMiniType<Schemas['VehicleOil'], OwnOilForm>;

/** Null for nothing typed, NaN for what is no number. */
function quartsOf(typed: string): number | null {
  return isFilled(typed) ? Number(typed.trim().replace(',', '.')) : null;
}
