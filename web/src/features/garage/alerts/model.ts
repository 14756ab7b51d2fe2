import type { Schemas } from '@/api/client';

/** A larger count reads '9+' (specification 1, section 9). */
const BADGE_CAP = 9;

export function badgeText(count: number): string {
  return count > BADGE_CAP ? `${BADGE_CAP}+` : String(count);
}

const DOTS: Record<string, { colour: string; word: string }> = {
  overdue: { colour: 'bg-alert', word: 'Overdue' },
  due_today: { colour: 'bg-due-today', word: 'Due today' },
  due_soon: { colour: 'bg-muted', word: 'Due soon' },
};

/** The dot of an alert, and the word for those who do not see its colour. */
export function dotOf({ type }: Schemas['Alert']): { colour: string; word: string } {
  return DOTS[type] ?? { colour: 'bg-muted', word: 'Due' };
}
