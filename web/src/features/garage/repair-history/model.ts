import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { today, type Day } from '@/lib/dates';
import { vehicleName } from '@/lib/format';
import { isFilled, optionalAmount, optionalText, rule, text, wholeNumber } from '@/lib/form-schema';
import { parseWholeNumber } from '@/lib/numbers';

type Repair = Schemas['Repair'];

/** Highest mileage that is taken; the lowest is 1 (specification 1, section 9). */
const MAX_MILEAGE = 999_999;

export type RepairForm = Record<
  | 'vehicleId'
  | 'partReplaced'
  | 'partLabel'
  | 'partNumber'
  | 'partBrand'
  | 'mileage'
  | 'repairDate'
  | 'cost'
  | 'notes',
  string
>;

export function emptyRepair(vehicleId: string, day: Day, partReplaced = ''): RepairForm {
  return {
    vehicleId,
    partReplaced,
    partLabel: '',
    partNumber: '',
    partBrand: '',
    mileage: '',
    repairDate: day,
    cost: '',
    notes: '',
  };
}

/** The repair in which the part of a scan was fitted, as far as the scan knows it. */
export function repairOfScan(
  scan: Schemas['RecentScan'],
  vehicles: Schemas['Vehicle'][],
  reading?: Schemas['ScanReading'],
): RepairForm {
  const { vehicle, identification, receipt, feedback } = scan;
  const named = reading?.parts.find(({ says }) => says === 'named');
  const scanned = vehicles.find(
    (own) => vehicle !== null && vehicleName(own) === vehicleName(vehicle),
  );
  const part = feedback?.answer === 'other-part' ? feedback : null;
  return {
    ...emptyRepair(
      (scanned ?? vehicles.find(({ isDefault }) => isDefault))?.id ?? '',
      today(new Date(scan.scannedAt)),
      part?.name ?? identification.partName,
    ),
    partLabel: part?.label ?? identification.label,
    // What was read is on the part in the photo, whatever it is called.
    partNumber:
      named?.number ??
      receipt.judgement?.partNumbers[0] ??
      reading?.lines.find(({ number }) => number !== null)?.number ??
      '',
    partBrand: named?.brand ?? '',
  };
}

/** Blanks for what the form began with: what is still there when it is sent takes their place. */
export function leftOut(initial: RepairForm): Partial<Schemas['NewRepair']> {
  const fields = ['partLabel', 'partNumber', 'partBrand'] as const;
  return Object.fromEntries(
    fields.filter((name) => initial[name] !== '').map((name) => [name, '']),
  );
}

export function formOfRepair(repair: Repair): RepairForm {
  return {
    vehicleId: repair.vehicleId,
    partReplaced: repair.partReplaced,
    partLabel: repair.partLabel ?? '',
    partNumber: repair.partNumber ?? '',
    partBrand: repair.partBrand ?? '',
    mileage: String(repair.mileage),
    repairDate: repair.repairDate,
    cost: repair.cost == null ? '' : repair.cost.toFixed(2),
    notes: repair.notes ?? '',
  };
}

const MISSING = ['Please fill in all required fields', 'Missing Information'] as const;

/** The request (specification 1, section 5); what is missing is said before what is wrong. */
export const repairSchema = z.pipe(
  z.object({
    vehicleId: text(...MISSING),
    partReplaced: text(...MISSING),
    repairDate: text(...MISSING),
    mileage: wholeNumber(
      rule(isFilled, ...MISSING),
      rule(isMileage, 'Please enter a valid mileage between 1 and 999,999', 'Invalid Mileage'),
    ),
    cost: optionalAmount,
    partLabel: optionalText,
    partNumber: optionalText,
    partBrand: optionalText,
    notes: optionalText,
  }),
  z.transform(({ partLabel, partNumber, partBrand, notes, ...required }) => ({
    ...required,
    ...(partLabel !== null && { partLabel }),
    ...(partNumber !== null && { partNumber }),
    ...(partBrand !== null && { partBrand }),
    ...(notes !== null && { notes }),
  })),
) satisfies z.ZodMiniType<Schemas['NewRepair'], RepairForm>;

function isMileage(typed: string): boolean {
  const mileage = parseWholeNumber(typed);
  return mileage !== null && mileage >= 1 && mileage <= MAX_MILEAGE;
}

type RepairGroup = { vehicleId: string; name: string; repairs: Repair[] };

/** The repairs of each vehicle, the newest first, in the order in which the vehicles turn up. */
export function groupRepairs(repairs: Repair[]): RepairGroup[] {
  const groups = new Map<string, RepairGroup>();
  for (const repair of repairs) {
    const { vehicleId, vehicle } = repair;
    const group = groups.get(vehicleId) ?? { vehicleId, name: vehicleName(vehicle), repairs: [] };
    group.repairs.push(repair);
    groups.set(vehicleId, group);
  }
  return [...groups.values()].map((group) => ({
    ...group,
    repairs: group.repairs.toSorted((left, right) =>
      right.repairDate.localeCompare(left.repairDate),
    ),
  }));
}

/** Where this browser keeps the form of a repair, or of a new one. */
export function repairDraftKey(record: Pick<Schemas['Repair'], 'id'> | null): string {
  return `draft.repair.${record?.id ?? 'new'}`;
}
