import type { Schemas } from '@/api/client';
import type { Parsed } from '@/hooks/use-text-form';
import type { Day } from '@/lib/dates';
import { vehicleName } from '@/lib/format';
import { givenAmount, givenText, parseWholeNumber } from '@/lib/numbers';

type Repair = Schemas['Repair'];

/** Highest mileage that is taken; the lowest is 1 (specification 1, section 9). */
const MAX_MILEAGE = 999_999;

export const REPAIR_FIELDS = [
  'vehicleId',
  'partReplaced',
  'mileage',
  'repairDate',
  'cost',
  'notes',
] as const;

export type RepairField = (typeof REPAIR_FIELDS)[number];
export type RepairForm = Record<RepairField, string>;

export function emptyRepair(vehicleId: string, today: Day, partReplaced = ''): RepairForm {
  return { vehicleId, partReplaced, mileage: '', repairDate: today, cost: '', notes: '' };
}

export function formOfRepair(repair: Repair): RepairForm {
  return {
    vehicleId: repair.vehicleId,
    partReplaced: repair.partReplaced,
    mileage: String(repair.mileage),
    repairDate: repair.repairDate,
    cost: repair.cost == null ? '' : repair.cost.toFixed(2),
    notes: repair.notes ?? '',
  };
}

/** The request, or why there is none (specification 1, section 5). */
export function parseRepair(form: RepairForm): Parsed<Schemas['NewRepair'], RepairField> {
  const required = ['vehicleId', 'partReplaced', 'mileage', 'repairDate'] as const;
  const missing = required.filter((name) => form[name].trim() === '');
  if (missing.length > 0) {
    return {
      ok: false,
      refusal: {
        title: 'Missing Information',
        message: 'Please fill in all required fields',
        fields: missing,
      },
    };
  }
  const mileage = parseWholeNumber(form.mileage);
  if (mileage === null || mileage < 1 || mileage > MAX_MILEAGE) {
    return {
      ok: false,
      refusal: {
        title: 'Invalid Mileage',
        message: 'Please enter a valid mileage between 1 and 999,999',
        fields: ['mileage'],
      },
    };
  }
  const notes = givenText(form.notes);
  return {
    ok: true,
    body: {
      vehicleId: form.vehicleId,
      mileage,
      partReplaced: form.partReplaced.trim(),
      repairDate: form.repairDate,
      cost: givenAmount(form.cost),
      ...(notes !== null && { notes }),
    },
  };
}

export type RepairGroup = { vehicleId: string; name: string; repairs: Repair[] };

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
