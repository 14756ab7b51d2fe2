import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { QueryState } from '@/components/query-state';
import { SettingsCard } from '@/components/settings-card';
import { SelectField } from '@/components/ui/select-field';
import { countText, differenceText, proportionText } from '@/features/evaluations/model';
import { evaluationQueries, type Evaluation } from '@/features/evaluations/queries';
import { formatScanTime } from '@/lib/format';

/** Sets an evaluation beside an earlier one. */
export function Compare({ id }: { id: string }) {
  const [other, setOther] = useState('');
  const evaluations = useQuery(evaluationQueries.list());
  const done = (evaluations.data ?? []).filter(({ state }) => state === 'done');
  const others = done.filter((one) => one.id !== id);
  if (others.length === 0) return null;
  return (
    <SettingsCard
      title="Compare"
      description="With another evaluation, on the photos that are in both: the same file under any name."
    >
      <SelectField
        label="Compare with"
        value={other}
        onChange={(event) => setOther(event.target.value)}
      >
        <option value="">Choose an evaluation</option>
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}, {formatScanTime(one.createdAt)}
          </option>
        ))}
      </SelectField>
      {other !== '' && <Compared id={id} other={other} done={done} />}
    </SettingsCard>
  );
}

type ComparedProps = { id: string; other: string; done: Evaluation[] };

function Compared({ id, other, done }: ComparedProps) {
  const comparison = useQuery(evaluationQueries.comparison(id, other));
  const rows = [
    ['This one', done.find((one) => one.id === id)],
    ['The other', done.find((one) => one.id === other)],
  ] as const;
  return (
    <>
      <dl className="grid gap-2 text-sm">
        {rows.map(([what, one]) => {
          const top1 = { count: one?.right ?? 0, total: one?.known ?? 0 };
          return (
            <div key={what} className="flex flex-wrap justify-between gap-x-4">
              <dt className="text-muted">
                {what}: {one?.model}
              </dt>
              <dd className="tabular-nums">
                Top-1 accuracy {proportionText(top1)} ({countText(top1)})
              </dd>
            </div>
          );
        })}
      </dl>
      <QueryState query={comparison} what="The comparison" label="Comparing" />
      {comparison.data !== undefined && (
        <p role="status" className="text-sm">
          {differenceText(comparison.data)}
        </p>
      )}
    </>
  );
}
