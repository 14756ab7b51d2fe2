import type { Schemas } from '@/api/client';

/** A legal text as its sections; the dates differ by the place where it is shown. */
export type LegalSection = { title: string; paragraphs: string[]; points?: string[] };

export type LegalParties = Pick<Schemas['PublicSettings'], 'legalEntity' | 'supportEmail'>;

/** Dates of the texts in the acceptance dialog (specification 1, section 2). */
export const ACCEPTANCE_DATES = { terms: 'July 15, 2025', privacy: 'July 18, 2025' } as const;

/** Dates of the pages (specification 2, section 9). */
export const PAGE_DATES = { terms: 'August 8, 2025', privacy: 'August 8, 2025' } as const;
