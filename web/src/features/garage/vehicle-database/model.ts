import type { Schemas } from '@/api/client';

/** Specification 2, section 9: 26 years from 2024 downward, 2020 first. */
const NEWEST_YEAR = 2024;
export const YEARS = Array.from({ length: 26 }, (_, back) => String(NEWEST_YEAR - back));
export const DEFAULT_YEAR = '2020';

type Fact = readonly [term: string, value: string];

/** What stands for power and torque that no open source states. */
const NOT_STATED = 'Not stated by an open source';

/** What is known of an engine variant; what no source states is left out, but for power and torque, which say so. */
export function factsOf(spec: Schemas['DatabaseSpec']): Fact[] {
  const facts: [string, string | null][] = [
    ['Displacement', spec.displacement === null ? null : `${spec.displacement.toFixed(1)} L`],
    ['Cylinders', spec.cylinders === null ? null : String(spec.cylinders)],
    ['Power', spec.power === null ? NOT_STATED : `${spec.power} hp`],
    ['Torque', spec.torque === null ? NOT_STATED : `${spec.torque} lb-ft`],
    ['Fuel', spec.fuelType],
    ['Transmission', spec.transmission],
    ['Drivetrain', spec.drivetrain],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}
