import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { isFilled, optionalText, rule, text } from '@/lib/form-schema';

type NewVehicle = Schemas['NewVehicle'];

/** Characters of a VIN (ISO 3779). */
export const VIN_MAX_LENGTH = 17;
/** Longest make, model and engine that the server takes, in characters. */
export const TEXT_MAX_LENGTH = 80;
/** From the first motor car to a year that nobody needs soon, as the server has it. */
const FIRST_YEAR = 1886;
const LAST_YEAR = 2100;

export const TRANSMISSIONS = [
  'Automatic',
  'Manual',
  'CVT (Continuously Variable)',
  'Dual-Clutch',
  'Semi-Automatic',
  'Other',
] as const;

/** The form as typed; empty text means "not given". */
export type VehicleForm = Record<keyof NewVehicle, string>;
export type VehicleField = keyof VehicleForm;

/** What is said when make, model or year is missing (section 5). */
export const ADD_FIELDS_MISSING = 'Please fill in make, model, and year.';
export const EDIT_FIELDS_MISSING = 'Please fill in all required fields.';
const YEAR_OUT_OF_RANGE = `Please enter a year between ${FIRST_YEAR} and ${LAST_YEAR}.`;

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

export function formOfVehicle(vehicle: Schemas['Vehicle']): VehicleForm {
  return {
    make: vehicle.make,
    model: vehicle.model,
    year: String(vehicle.year),
    engine: vehicle.engine ?? '',
    transmission: vehicle.transmission ?? '',
    vinNumber: vehicle.vinNumber ?? '',
    licensePlate: vehicle.licensePlate ?? '',
  };
}

/**
 * What typing `value` into `name` changes: another make has other models, and another model other engines than the one
 * that the engine was entered for.
 */
export function changesOf(
  name: VehicleField,
  value: string,
  engineFor: string,
): Partial<VehicleForm> {
  if (name === 'make') return { make: value, model: '', engine: '' };
  if (name === 'model') return { model: value, ...(engineFor !== '' && { engine: '' }) };
  return { [name]: name === 'vinNumber' ? typedVin(value) : value };
}

/** What a decoded VIN fills in; a model only where the number leaves no choice. */
export function changesOfVin(facts: Schemas['VinFacts'], typed: VehicleForm): Partial<VehicleForm> {
  const [model, ...others] = facts.models;
  const { engine } = facts.details;
  const transmission = transmissionOf(facts.details.transmission?.value ?? null);
  return {
    ...(facts.make !== null && { make: facts.make }),
    ...(isOther(typed, facts.make, facts.models) && { model: '', engine: '' }),
    ...(model !== undefined && others.length === 0 && { model }),
    ...(facts.modelYear !== null && { year: String(facts.modelYear) }),
    ...(engine !== null && { engine }),
    ...(transmission !== null && { transmission }),
  };
}

/** Whether a VIN is of another make than what is typed, or of none of the models that it may be of. */
function isOther(typed: VehicleForm, make: string | null, models: string[]): boolean {
  const isTyped = (name: string, text: string) => folded(name) === folded(text.trim());
  return (
    (make !== null && !isTyped(make, typed.make)) ||
    (models.length > 0 && !models.some((model) => isTyped(model, typed.model)))
  );
}

/** What a decoded VIN says of the vehicle beside its name, in a few words. */
export function detailsOfVin({ details }: Schemas['VinFacts']): string {
  const { body, doors, engine, engineCode, fuel, power, drive, transmission } = details;
  return [
    body,
    doors !== null && `${doors} doors`,
    engine,
    engineCode,
    fuel !== engine && fuel,
    power && `${power.value} hp`,
    drive?.value,
    transmission?.value,
  ]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' · ');
}

/** What a VIN calls the vehicle, as far as it does; a model only where the number leaves no choice. */
export function nameOfVin({ modelYear, make, manufacturer, models }: Schemas['VinFacts']): string {
  const words = [modelYear, make ?? manufacturer, models.length === 1 ? models[0] : null];
  return words.filter((word) => word != null).join(' ');
}

/** The other vehicle of the garage that has this VIN. */
export function otherOfVin(
  vehicles: Schemas['Vehicle'][],
  vin: string,
  ownId: string | null,
): Schemas['Vehicle'] | undefined {
  return vehicles.find(({ id, vinNumber }) => id !== ownId && typedVin(vinNumber ?? '') === vin);
}

/** Who says what is not the maker's own report of this vehicle; null where all of it is. */
export function sourceOfVin({ details }: Schemas['VinFacts']): string | null {
  const stated = { power: details.power, drive: details.drive, transmission: details.transmission };
  const names = Object.entries(stated).flatMap(([name, fact]) =>
    fact?.source === 'epa' ? [name] : [],
  );
  if (names.length === 0) return null;
  const list = new Intl.ListFormat('en-US').format(names);
  return `${list.charAt(0).toUpperCase()}${list.slice(1)}: as EPA lists this model, year, and engine.`;
}

/**
 * What an answer of a decoder elsewhere fills in. `makes` are the names that the list knows: a
 * decoder writes them in capitals.
 */
export function changesOfAskedVin(
  facts: Schemas['AskedVinFacts'],
  typed: VehicleForm,
  makes: string[],
): Partial<VehicleForm> {
  const { make, model, modelYear, displacement, cylinders } = facts;
  const listed = makes.find((name) => name.toLowerCase() === make?.toLowerCase()) ?? make;
  const litres = Number(displacement);
  const transmission = transmissionOf(facts.transmission);
  return {
    ...(listed !== null && { make: listed }),
    ...(isOther(typed, listed, model === null ? [] : [model]) && { model: '', engine: '' }),
    ...(model !== null && { model }),
    ...(modelYear !== null && { year: String(modelYear) }),
    ...(litres > 0 && cylinders !== null && { engine: `${litres.toFixed(1)}L ${cylinders}-cyl` }),
    ...(transmission !== null && { transmission }),
  };
}

/** Ours for what a decoder calls it, such as `Manual/Standard`. */
function transmissionOf(text: string | null): string | null {
  if (text === null) return null;
  if (/cvt|continuously/i.test(text)) return 'CVT (Continuously Variable)';
  if (/dual.clutch/i.test(text)) return 'Dual-Clutch';
  if (/automated|semi/i.test(text)) return 'Semi-Automatic';
  return TRANSMISSIONS.find((name) => text.toLowerCase().startsWith(name.toLowerCase())) ?? null;
}

/** The request; `missing` is the sentence of the specification (section 5). */
export const vehicleSchema = (missing: string) =>
  z.object({
    make: text(missing),
    model: text(missing),
    year: z.pipe(
      z.string().check(rule(isFilled, missing), rule(isModelYear, YEAR_OUT_OF_RANGE)),
      z.transform(Number),
    ),
    engine: optionalText,
    transmission: optionalText,
    vinNumber: optionalText,
    licensePlate: optionalText,
  }) satisfies z.ZodMiniType<NewVehicle, VehicleForm>;

/** Whether the text is a year that the server takes for a model year. */
export function isModelYear(text: string): boolean {
  const typed = text.trim();
  return /^\d{4}$/.test(typed) && Number(typed) >= FIRST_YEAR && Number(typed) <= LAST_YEAR;
}

/**
 * A VIN as the field keeps it: upper case, at most 17 characters, without blanks, hyphens and the word
 * before it that papers print. No VIN has the letter I, so that none begins with `VIN`.
 */
export function typedVin(text: string): string {
  return text
    .replace(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replace(/^VIN:?/, '')
    .slice(0, VIN_MAX_LENGTH);
}

/** Whether the text is a whole VIN, which can be decoded: 17 characters without I, O and Q. */
export function isWholeVin(text: string): boolean {
  return /^[A-HJ-NPR-Z0-9]{17}$/.test(text);
}

/** Above this many vehicles there is a search box (section 9). */
export const SEARCH_ABOVE = 3;

/** The vehicles in which each word of `search` occurs. */
export function searchVehicles(vehicles: Schemas['Vehicle'][], search: string) {
  const words = folded(search).split(/\s+/).filter(Boolean);
  return vehicles.filter((vehicle) => {
    const { year, make, model, engine, vinNumber, licensePlate } = vehicle;
    const text = folded([year, make, model, engine, vinNumber, licensePlate].join(' '));
    return words.every((word) => text.includes(word));
  });
}

/** As the server compares names: without case and diacritics. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Where this browser keeps the form of a vehicle, or of a new one. */
export function vehicleDraftKey(vehicle: Pick<Schemas['Vehicle'], 'id'> | null): string {
  return `draft.vehicle.${vehicle?.id ?? 'new'}`;
}
