import type { Assembly } from '@/components/drawings/assembly';
import { FRONT_END, HEADLIGHT, TAILGATE, WIPERS } from '@/components/drawings/assemblies/body';
import { BRAKE_HYDRAULICS, DISC_BRAKE, DRUM_BRAKE } from '@/components/drawings/assemblies/brakes';
import { LEAF_SPRING, STRUT, WHEEL } from '@/components/drawings/assemblies/chassis';
import { AIR_CONDITIONING, HEATER } from '@/components/drawings/assemblies/climate';
import {
  AUTOMATIC,
  CLUTCH,
  DRIVELINE,
  DRIVE_AXLE,
  EXHAUST,
  SHIFTER,
} from '@/components/drawings/assemblies/drivetrain';
import { DASHBOARD, ENGINE_CONTROL } from '@/components/drawings/assemblies/electrics';
import {
  CRANK_TRAIN,
  TIMING_DRIVE,
  VALVE_TRAIN,
} from '@/components/drawings/assemblies/engine-inside';
import {
  AIR_PATH,
  BELT_DRIVE,
  CHARGE_AIR,
  IGNITION,
} from '@/components/drawings/assemblies/engine-outside';
import { COLUMN, RACK, STEERING } from '@/components/drawings/assemblies/steering';
import { COOLING, DOOR, FUEL_FEED, STARTING } from '@/components/drawings/assemblies/supply';
import { DOUBLE_WISHBONE, MULTI_LINK } from '@/components/drawings/assemblies/suspension';

/** All exploded drawings. A part that is in two is shown in the first of them. */
export const ASSEMBLIES: readonly Assembly[] = [
  DISC_BRAKE,
  DRUM_BRAKE,
  BRAKE_HYDRAULICS,
  STARTING,
  BELT_DRIVE,
  IGNITION,
  VALVE_TRAIN,
  CRANK_TRAIN,
  TIMING_DRIVE,
  EXHAUST,
  AIR_PATH,
  CHARGE_AIR,
  CLUTCH,
  AUTOMATIC,
  DRIVELINE,
  DRIVE_AXLE,
  SHIFTER,
  STRUT,
  WHEEL,
  LEAF_SPRING,
  DOUBLE_WISHBONE,
  MULTI_LINK,
  RACK,
  COLUMN,
  STEERING,
  COOLING,
  AIR_CONDITIONING,
  HEATER,
  FUEL_FEED,
  ENGINE_CONTROL,
  DASHBOARD,
  DOOR,
  HEADLIGHT,
  FRONT_END,
  TAILGATE,
  WIPERS,
];

/** The drawing that has a part type, if one has it. */
export function assemblyOf(label: string): Assembly | undefined {
  return ASSEMBLIES.find(({ pieces }) => pieces.some(({ labels }) => labels.includes(label)));
}
