import * as z from 'zod/mini';
import type { Schemas } from '@/api/client';
import { formatMicroDollars } from '@/lib/format';
import { givenAmount } from '@/lib/numbers';

type Judge = Schemas['Judge'];

/** The budgets as they are typed, in dollars; empty for all that the server allows. */
type BudgetForm = { dayMicroDollars: string; monthMicroDollars: string };

const MICROS = 1_000_000;

/** What the fields say before anything is typed. */
export function budgetFormOf({ today, thisMonth }: Judge): BudgetForm {
  return {
    dayMicroDollars: dollarsText(today.chosenMicroDollars),
    monthMicroDollars: dollarsText(thisMonth.chosenMicroDollars),
  };
}

/** The budgets that the fields change from what is `saved`, within what the server allows. */
export const budgetSchema = ({ today, thisMonth }: Judge, saved: BudgetForm) =>
  z.pipe(
    z.object({
      dayMicroDollars: budget(today),
      monthMicroDollars: budget(thisMonth),
    }),
    z.transform((typed): Partial<Schemas['JudgeBudgetDecision']> => {
      const names = ['dayMicroDollars', 'monthMicroDollars'] as const;
      const changed = names.filter((name) => typed[name] !== saved[name]);
      return Object.fromEntries(changed.map((name) => [name, microsOf(typed[name])]));
    }),
  );

function budget({ mostMicroDollars }: Schemas['JudgeBudget']) {
  return z.string().check(
    z.refine((typed) => !Number.isNaN(microsOf(typed)), {
      error: 'Please enter an amount in dollars, such as 0.50.',
      abort: true,
    }),
    z.refine(
      (typed) => (microsOf(typed) ?? 0) <= mostMicroDollars,
      `At most ${formatMicroDollars(mostMicroDollars)}, which is all that this server allows.`,
    ),
  );
}

/** Null for nothing typed, NaN for what is no amount. */
function microsOf(typed: string): number | null {
  const dollars = givenAmount(typed);
  if (dollars === null) return null;
  return /^\d*\.?\d+$/.test(dollars) ? Math.round(Number(dollars) * MICROS) : Number.NaN;
}

function dollarsText(micros: number | null): string {
  if (micros === null) return '';
  const dollars = micros / MICROS;
  // Whole cents as they are typed, and no digit lost of less.
  return Number.isInteger(micros / 10_000) ? dollars.toFixed(2) : String(dollars);
}
