import type { Schemas } from '@/api/client';
import { isModelYear, nameOfVin, type VehicleForm } from '@/features/garage/vehicles/model';

/**
 * Names that do not contradict each other: other names of a make, and makes that build for each other. The first
 * characters of a VIN name the house, and a Vauxhall has those of Opel.
 */
const HOUSES = [
  ['Volkswagen', 'VW', 'Audi', 'SEAT', 'Cupra', 'Škoda', 'Porsche', 'Bentley', 'Lamborghini'],
  ['Mercedes-Benz', 'AMG', 'Maybach', 'smart', 'Daimler', 'Dodge', 'Freightliner'],
  ['BMW', 'MINI', 'Alpina', 'Rolls-Royce', 'Toyota'],
  ['Toyota', 'Lexus', 'Scion', 'Daihatsu', 'Subaru', 'Suzuki', 'Mazda'],
  ['Nissan', 'Infiniti', 'Datsun', 'Renault', 'Dacia', 'Alpine', 'Samsung', 'Mitsubishi', 'Opel'],
  ['Honda', 'Acura', 'Isuzu'],
  ['Hyundai', 'Kia', 'Genesis', 'Mitsubishi'],
  ['Ford', 'Lincoln', 'Mercury', 'Merkur', 'Mazda', 'Volkswagen', 'Nissan', 'Kia'],
  ['Land Rover', 'Range Rover', 'Jaguar', 'JLR', 'MG'],
  ['Volvo', 'Polestar', 'Lynk & Co', 'Geely', 'Zeekr'],
  [
    ...['Chevrolet', 'GMC', 'General Motors', 'Buick', 'Cadillac', 'Pontiac', 'Oldsmobile', 'Geo'],
    ...['Saturn', 'Hummer', 'Saab', 'Holden', 'HSV', 'Opel', 'Vauxhall', 'Daewoo', 'Suzuki'],
    ...['Isuzu', 'Toyota'],
  ],
  [
    ...['Chrysler', 'Dodge', 'Jeep', 'Ram', 'Plymouth', 'Eagle', 'SRT', 'Mopar', 'Mitsubishi'],
    ...['Fiat', 'Abarth', 'Alfa Romeo', 'Lancia', 'Maserati', 'Mazda', 'Suzuki', 'Peugeot'],
    ...['Citroën', 'DS', 'Opel', 'Vauxhall', 'Toyota', 'Volkswagen'],
  ],
].map((names) => names.map(lettersOf));

/** Letters that two spellings of a make have in common at the start: `Chevy`, `Merc`, `Volkswagon`. */
const COMMON_START = 3;

/**
 * What is said where a VIN is of another make or model year than what is typed; null where it may be this vehicle. A
 * right VIN that is doubted does more harm than a wrong one that is not.
 */
export function contradictionOf(
  facts: Schemas['VinFacts'],
  typed: Pick<VehicleForm, 'make' | 'year'>,
): string | null {
  // The year of a new vehicle is filled in before anything is typed.
  if (lettersOf(typed.make) === '') return null;
  const { make, modelYear, otherModelYear } = facts;
  // Only there must the tenth character be the model year.
  const saysYear = facts.region === 'North America' && modelYear !== null;
  if (make !== null && !couldBeMake(typed.make, make)) {
    const name = nameOfVin(saysYear ? facts : { ...facts, modelYear: null });
    return `The VIN is of another vehicle: ${name}. Please check it.`;
  }
  const isOtherYear =
    saysYear &&
    isModelYear(typed.year) &&
    ![modelYear, otherModelYear].includes(Number(typed.year));
  return isOtherYear ? `The VIN says model year ${modelYear}. Please check the year.` : null;
}

/** Whether what somebody typed, or has typed so far, may mean this make. */
function couldBeMake(typed: string, make: string): boolean {
  const [one, other] = [lettersOf(typed), lettersOf(make)];
  // Another script than the list's is not compared.
  if (/[^a-z0-9]/.test(one)) return true;
  return (
    isLike(one, other) ||
    one === initialsOf(make) ||
    HOUSES.some((names) => [one, other].every((name) => names.some((known) => isLike(name, known))))
  );
}

function isLike(one: string, other: string): boolean {
  return (
    one.includes(other) ||
    other.includes(one) ||
    (one.length >= COMMON_START && other.startsWith(one.slice(0, COMMON_START)))
  );
}

function initialsOf(name: string): string {
  return lettersOf([...name.matchAll(/\p{L}+/gu)].map(([word]) => word.charAt(0)).join(''));
}

function lettersOf(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
