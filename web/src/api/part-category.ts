import type { Schemas } from '@/api/client';

type PartCategory = Schemas['PartCategory'];

/** The name of a part category as a shop would print it. */
const CATEGORY_NAMES: Record<PartCategory, string> = {
  engine: 'Engine Components',
  brake: 'Brake System',
  electrical: 'Electrical Parts',
  suspension: 'Suspension Components',
  transmission: 'Transmission Parts',
  cooling: 'Cooling System',
  exhaust: 'Exhaust System',
  fuel: 'Fuel System',
  body: 'Body & Interior',
};

/** One part of a category, in a sentence. */
const CATEGORY_PARTS: Record<PartCategory, string> = {
  engine: 'an engine component',
  brake: 'a brake system part',
  electrical: 'an electrical part',
  suspension: 'a suspension component',
  transmission: 'a transmission part',
  cooling: 'a cooling system part',
  exhaust: 'an exhaust system part',
  fuel: 'a fuel system part',
  body: 'a body or interior part',
};

/** `a brake system part`. */
export function partOfCategory(category: PartCategory): string {
  return CATEGORY_PARTS[category];
}

/** All categories, in the order in which lists show them. */
export const CATEGORIES = Object.keys(CATEGORY_NAMES) as PartCategory[];

export function categoryName(category: PartCategory): string {
  return CATEGORY_NAMES[category];
}
