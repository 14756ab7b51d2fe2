import type { UseQueryResult } from '@tanstack/react-query';
import { LoadFailure } from '@/components/load-failure';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { LoadingBlock } from '@/components/ui/skeleton';

type Item = { id: string; name: string; facts: (readonly [term: string, value: string])[] };

type AnswerListProps<Row> = {
  title: string;
  /** What to do while nothing has been asked. */
  hint: string;
  answer: UseQueryResult<Row[]>;
  item: (row: Row) => Item;
};

export function AnswerList<Row>({ title, hint, answer, item }: AnswerListProps<Row>) {
  const asked = answer.fetchStatus !== 'idle' || !answer.isPending;
  return (
    <SettingsCard
      title={title}
      action={answer.data !== undefined && <Badge>{answer.data.length}</Badge>}
    >
      {!asked && <p className="text-sm text-muted">{hint}</p>}
      {asked && answer.isPending && (
        <LoadingBlock label={`Loading: ${title}`} rowClassName="h-10" />
      )}
      {answer.isLoadingError && <LoadFailure what={title} query={answer} />}
      {answer.data?.length === 0 && <p className="text-sm text-muted">None in the database.</p>}
      {answer.data !== undefined && answer.data.length > 0 && (
        <ul
          aria-label={title}
          // Scrolling by keyboard needs something to hold the focus.
          tabIndex={0}
          className="grid max-h-96 divide-y overflow-y-auto rounded-md border bg-canvas/40"
        >
          {answer.data.map((row) => (
            <ItemRow key={item(row).id} item={item(row)} />
          ))}
        </ul>
      )}
    </SettingsCard>
  );
}

type ItemRowProps = { item: Item };

function ItemRow({ item: { id, name, facts } }: ItemRowProps) {
  return (
    <li className="grid gap-1 p-3 text-sm">
      <p className="flex flex-wrap items-baseline justify-between gap-x-3">
        <span className="font-medium">{name}</span>
        <code className="text-xs break-all text-muted">{id}</code>
      </p>
      {facts.length > 0 && (
        <dl className="grid gap-0.5 text-xs">
          {facts.map(([term, value]) => (
            <div key={term} className="flex gap-1.5">
              <dt className="shrink-0 text-muted">{term}:</dt>
              <dd className="text-soft">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
