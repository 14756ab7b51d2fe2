import { useId } from 'react';
import type { Schemas } from '@/api/client';
import { classNames } from '@/lib/class-names';
import { formatMicroDollars } from '@/lib/format';

type BudgetBarProps = { title: string; budget: Schemas['JudgeBudget'] };

/** From this share on, the budget is nearly spent. */
const NEARLY_SPENT = 0.9;

/** What was spent of a budget. Once it is spent, scans are answered by the model alone. */
export function BudgetBar({ title, budget }: BudgetBarProps) {
  const id = useId();
  const { spentMicroDollars: spent, limitMicroDollars: limit } = budget;
  const share = limit === 0 ? 1 : Math.min(1, spent / limit);
  return (
    <div className="grid gap-1.5 text-sm">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span id={id} className="font-medium">
          {title}
        </span>
        <span className="text-muted tabular-nums">
          {formatMicroDollars(spent)} of {formatMicroDollars(limit)}
        </span>
      </p>
      <div
        role="meter"
        aria-labelledby={id}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={`${formatMicroDollars(spent)} of ${formatMicroDollars(limit)} spent`}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div
          className={classNames(
            'h-full rounded-full',
            share >= NEARLY_SPENT ? 'bg-warn' : 'bg-accent',
          )}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}
