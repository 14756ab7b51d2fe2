import type { Allowance } from '@/features/plans/subscription/model';
import { formatDate } from '@/lib/format';

/** What the account page says when no figures arrive (specification 2, section 9). */
const FALLBACK_REMAINING = 5;

/** The scans line of the account page. */
export function remainingText(allowance: Allowance): string {
  if (allowance.kind === 'unlimited') return 'Unlimited';
  return `${allowance.kind === 'metered' ? allowance.remaining : FALLBACK_REMAINING} remaining`;
}

/** Below this a unix time is in seconds, from it on in milliseconds (specification 2, section 9). */
const FIRST_MILLISECONDS = 1e10;

/** The end of a period as a local date; it may be unix seconds, milliseconds or a date. */
export function periodEndText(end: number | string | null | undefined): string {
  if (typeof end !== 'number') return formatDate(end);
  const time = new Date(Math.abs(end) < FIRST_MILLISECONDS ? end * 1000 : end);
  return Number.isNaN(time.getTime()) ? 'N/A' : formatDate(time.toISOString());
}
