import type { Schemas } from '@/api/client';
import type { FormErrors } from '@/hooks/use-checked-form';
import { formatMicroDollars } from '@/lib/format';
import { givenAmount } from '@/lib/numbers';

type Judge = Schemas['Judge'];

/** The budgets as they are typed, in dollars; empty for all that the server allows. */
export type BudgetForm = { dayMicroDollars: string; monthMicroDollars: string };

const MICROS = 1_000_000;

/** What the fields say before anything is typed. */
export function budgetFormOf({ today, thisMonth }: Judge): BudgetForm {
  return {
    dayMicroDollars: dollarsText(today.chosenMicroDollars),
    monthMicroDollars: dollarsText(thisMonth.chosenMicroDollars),
  };
}

/** What is wrong with the budgets, given what the server allows. */
export function checkBudgets(
  form: BudgetForm,
  { today, thisMonth }: Judge,
): FormErrors<BudgetForm> {
  const errors: FormErrors<BudgetForm> = {};
  for (const [name, most] of [
    ['dayMicroDollars', today.mostMicroDollars],
    ['monthMicroDollars', thisMonth.mostMicroDollars],
  ] as const) {
    const micros = microsOf(form[name]);
    if (micros === null) continue;
    if (Number.isNaN(micros)) errors[name] = 'Please enter an amount in dollars, such as 0.50.';
    else if (micros > most) {
      errors[name] = `At most ${formatMicroDollars(most)}, which is all that this server allows.`;
    }
  }
  return errors;
}

/** The budgets that the fields change from what is `saved`. */
export function budgetChanges(
  form: BudgetForm,
  saved: BudgetForm,
): Partial<Schemas['JudgeBudgetDecision']> {
  const changes: Partial<Schemas['JudgeBudgetDecision']> = {};
  for (const name of ['dayMicroDollars', 'monthMicroDollars'] as const) {
    if (form[name] !== saved[name]) changes[name] = microsOf(form[name]);
  }
  return changes;
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
