import type { Schemas } from '@/api/client';
import type { Parsed } from '@/hooks/use-text-form';
import { formatPercent } from '@/lib/format';
import { givenText } from '@/lib/numbers';

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

export type SpecRow = { term: string; value: string; basis: Schemas['ValueBasis'] | null };

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
  return rows;
}

export const OWN_OIL_FIELDS = ['oilType', 'oilCapacityQuarts', 'oilFilter'] as const;
export type OwnOilField = (typeof OWN_OIL_FIELDS)[number];
export type OwnOilForm = Record<OwnOilField, string>;

export function formOfOwnOil(own: Schemas['VehicleOil'] | null): OwnOilForm {
  return {
    oilType: own?.oilType ?? '',
    oilCapacityQuarts: own?.oilCapacityQuarts == null ? '' : String(own.oilCapacityQuarts),
    oilFilter: own?.oilFilter ?? '',
  };
}

export function parseOwnOil(form: OwnOilForm): Parsed<Schemas['VehicleOil'], OwnOilField> {
  const capacity = givenText(form.oilCapacityQuarts);
  const oilCapacityQuarts = capacity === null ? null : Number(capacity.replace(',', '.'));
  if (Number.isNaN(oilCapacityQuarts)) {
    return {
      ok: false,
      refusal: {
        message: 'Please enter the capacity as a number of quarts, like 4.4.',
        fields: ['oilCapacityQuarts'],
      },
    };
  }
  const body = {
    oilType: givenText(form.oilType),
    oilCapacityQuarts,
    oilFilter: givenText(form.oilFilter),
  };
  if (Object.values(body).every((value) => value === null)) {
    return {
      ok: false,
      refusal: { message: 'Please enter at least one value.', fields: ['oilType'] },
    };
  }
  return { ok: true, body };
}
