import type { Schemas } from '@/api/client';

type NewVehicle = Schemas['NewVehicle'];

export const VIN_MAX_LENGTH = 17;

export const TRANSMISSIONS = [
  'Automatic',
  'Manual',
  'CVT (Continuously Variable)',
  'Dual-Clutch',
  'Semi-Automatic',
  'Other',
] as const;

/** The add form as typed; empty text means "not given". */
export type VehicleForm = Record<keyof NewVehicle, string>;

export function emptyVehicleForm(now: Date): VehicleForm {
  return {
    make: '',
    model: '',
    year: String(now.getFullYear()),
    engine: '',
    transmission: '',
    vinNumber: '',
    licensePlate: '',
  };
}

/** What the person typed as a request, or the sentence of the specification (section 5). */
export function parseVehicleForm(
  form: VehicleForm,
): { ok: true; vehicle: NewVehicle } | { ok: false; message: string } {
  const make = form.make.trim();
  const model = form.model.trim();
  const yearText = form.year.trim();
  if (make === '' || model === '' || !/^\d{4}$/.test(yearText)) {
    return { ok: false, message: 'Please fill in make, model, and year.' };
  }
  return {
    ok: true,
    vehicle: {
      make,
      model,
      year: Number(yearText),
      engine: given(form.engine),
      transmission: given(form.transmission),
      vinNumber: given(form.vinNumber),
      licensePlate: given(form.licensePlate),
    },
  };
}

/** A VIN as the field keeps it: upper case, no blanks, at most 17 characters. */
export function typedVin(text: string): string {
  return text.replace(/\s/g, '').toUpperCase().slice(0, VIN_MAX_LENGTH);
}

function given(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
