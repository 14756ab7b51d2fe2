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

/** The required fields that cannot be read yet, in the order of the form. */
export function unreadableFields(form: VehicleForm): (keyof VehicleForm)[] {
  const fields: (keyof VehicleForm)[] = [];
  if (form.make.trim() === '') fields.push('make');
  if (form.model.trim() === '') fields.push('model');
  if (!/^\d{4}$/.test(form.year.trim())) fields.push('year');
  return fields;
}

/** What the person typed as a request, or the sentence of the specification (section 5). */
export function parseVehicleForm(
  form: VehicleForm,
): { ok: true; vehicle: NewVehicle } | { ok: false; message: string } {
  if (unreadableFields(form).length > 0) {
    return { ok: false, message: 'Please fill in make, model, and year.' };
  }
  return {
    ok: true,
    vehicle: {
      make: form.make.trim(),
      model: form.model.trim(),
      year: Number(form.year.trim()),
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
