import type { Schemas } from '@/api/client';

export type PartCategory = Schemas['PartCategory'];
export type CategoryPart = Schemas['CategoryPart'];

/** The colour of a category's badge. Whole class names, or the stylesheet would not have them. */
const BADGE_CLASSES: Record<PartCategory, string> = {
  engine: 'bg-category-engine/15 text-category-engine',
  brake: 'bg-category-brake/15 text-category-brake',
  electrical: 'bg-category-electrical/15 text-category-electrical',
  suspension: 'bg-category-suspension/15 text-category-suspension',
  transmission: 'bg-category-transmission/15 text-category-transmission',
  cooling: 'bg-category-cooling/15 text-category-cooling',
  exhaust: 'bg-category-exhaust/15 text-category-exhaust',
  fuel: 'bg-category-fuel/15 text-category-fuel',
  body: 'bg-category-body/15 text-category-body',
};

/** The categories with a search box, and what stands in it (specification 2, section 5). */
const SEARCH_PLACEHOLDERS: Partial<Record<PartCategory, string>> = {
  engine: 'Search engine parts, e.g. water pump',
  brake: 'Search brake parts, e.g. rotor',
  electrical: 'Search electrical parts, e.g. alternator',
  suspension: 'Search suspension parts, e.g. control arm',
};

/** The category in a path; null for one that does not exist. */
export function categoryOf(segment: string | undefined): PartCategory | null {
  return segment !== undefined && Object.hasOwn(BADGE_CLASSES, segment)
    ? (segment as PartCategory)
    : null;
}

export function categoryBadgeClass(category: PartCategory): string {
  return BADGE_CLASSES[category];
}

export function searchPlaceholder(category: PartCategory): string | null {
  return SEARCH_PLACEHOLDERS[category] ?? null;
}

/** Those whose name or description has `text`, whatever its case. */
export function matchingParts(parts: CategoryPart[], text: string): CategoryPart[] {
  const wanted = text.trim().toLowerCase();
  return parts.filter(({ name, description }) =>
    [name, description].some((words) => words.toLowerCase().includes(wanted)),
  );
}

export function stepsOf({ installationInstructions }: CategoryPart): string[] {
  return installationInstructions.split('\n').filter((line) => line.trim() !== '');
}
