import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '@/components/empty-state';
import { Logbook } from '@/components/pictures';
import { QueryState } from '@/components/query-state';
import { Card } from '@/components/ui/card';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { sumsOf, type TotalsBy } from '@/features/batches/model';
import { gradeQueries } from '@/features/batches/queries';
import { classNames } from '@/lib/class-names';
import { addDays, today } from '@/lib/dates';
import { formatDate } from '@/lib/format';

const BY: Record<TotalsBy, string> = { day: 'Day', person: 'Person', part: 'Part' };

/** How many parts got which grade: by day, person or part type. */
export function GradeTotals() {
  const [to, setTo] = useState(() => today());
  const [from, setFrom] = useState(() => addDays(today(), -29));
  const [by, setBy] = useState<TotalsBy>('day');
  const totals = useQuery(gradeQueries.totals(from, to));
  const { rows, grades } = sumsOf(totals.data ?? [], by);
  return (
    <Card aria-labelledby="totals-title" className="grid grid-cols-1 gap-4">
      <h2 id="totals-title" className="section-title">
        Totals
      </h2>
      <div className="grid grid-cols-1 gap-3 min-[26rem]:grid-cols-2 sm:grid-cols-3">
        <Field
          label="From"
          type="date"
          value={from}
          max={to}
          onChange={({ target }) => target.value !== '' && setFrom(target.value)}
        />
        <Field
          label="To"
          type="date"
          value={to}
          min={from}
          onChange={({ target }) => target.value !== '' && setTo(target.value)}
        />
        <SelectField
          label="By"
          value={by}
          onChange={({ target }) => setBy(target.value as TotalsBy)}
          options={BY}
        />
      </div>
      <QueryState query={totals} what="The totals" label="Loading the totals" />
      {totals.data !== undefined && rows.length === 0 && (
        <EmptyState picture={<Logbook />} title="No grades in these days">
          Grade the parts of a batch, and their number stands here.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div className="overflow-x-auto" role="region" aria-label="Table of totals" tabIndex={0}>
          <table className="w-full text-sm">
            <thead>
              <tr className="border-b text-left">
                <th scope="col" className="py-2 pr-3 font-medium">
                  {BY[by]}
                </th>
                {grades.map((grade) => (
                  <th key={grade} scope="col" className="px-3 py-2 text-right font-medium">
                    {grade}
                  </th>
                ))}
                <th scope="col" className="py-2 pl-3 text-right font-medium">
                  All
                </th>
              </tr>
            </thead>
            <tbody className="divide-y tabular-nums">
              {rows.map(({ key, name, counts, sum }) => (
                <tr key={key}>
                  <th
                    scope="row"
                    className={classNames(
                      'py-2 pr-3 text-left font-normal',
                      by === 'day' ? 'whitespace-nowrap' : 'min-w-[8rem] wrap-anywhere',
                    )}
                  >
                    {by === 'day' ? formatDate(name) : name}
                  </th>
                  {grades.map((grade) => (
                    <td key={grade} className="px-3 py-2 text-right">
                      {counts.get(grade) ?? 0}
                    </td>
                  ))}
                  <td className="py-2 pl-3 text-right font-medium">{sum}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Card>
  );
}
