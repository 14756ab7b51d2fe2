import { itemsOf, type Page } from '@/api/page';

/** How the form of an entry reads the list of it: afresh when it opens and when somebody comes back to it. */
export const FRESH = { staleTime: 0 };

/**
 * The opened entry as the server last had it. A form sends all of its fields: one that nobody touched must not take
 * back what was changed in another tab since.
 */
export function latestOf<Entry extends { id: string }>(
  opened: Entry,
  pages: (Page<Entry> | null)[] | undefined,
): Entry {
  return itemsOf(pages).find(({ id }) => id === opened.id) ?? opened;
}
