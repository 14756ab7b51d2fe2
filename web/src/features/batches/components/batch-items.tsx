import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { PartSearchBox } from '@/components/part-search-box';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { SelectField } from '@/components/ui/select-field';
import { ItemGrid } from '@/features/batches/components/item-grid';
import { NOTHING, STATES, typesOf } from '@/features/batches/model';
import { correct, takeBack, type Correction } from '@/features/batches/mutations';
import { ALL_ITEMS, batchQueries, type Batch, type ItemFilter } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf } from '@/lib/format';

/** The photos of a batch with their answers: filtered, chosen, and corrected many at a time. */
export function BatchItems({ batch }: { batch: Batch }) {
  const [filter, setFilter] = useState<ItemFilter>(ALL_ITEMS);
  const [selection, setSelection] = useState(NOTHING);
  const [done, setDone] = useState<Correction | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const fail = useFailureToast();
  const pages = useInfiniteQuery(batchQueries.items(batch.id, filter, batch.state === 'running'));
  const { state } = batch;
  const { refetch } = pages;
  const shown = useRef(state);
  useEffect(() => {
    // The last answers came after the photos were read for the last time.
    if (shown.current !== state) void refetch();
    shown.current = state;
  }, [state, refetch]);
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  // Every type that was seen stays in the list, also while another one is chosen.
  const [types, setTypes] = useState<ReadonlyMap<string, string>>(new Map());
  const seen = useMemo(() => typesOf(items), [items]);
  const allTypes = new Map([...types, ...seen]);

  const change = (part: Partial<ItemFilter>) => {
    setTypes(allTypes);
    setFilter({ ...filter, ...part });
    setSelection(NOTHING);
  };
  const chosen = items.filter(({ id, scan }) => selection.chosen.has(id) && scan !== null);
  const apply = useMutation({
    mutationFn: correct,
    onSuccess: (_, correction) => {
      setDone(correction);
      setSelection(NOTHING);
      grid.current?.focus();
    },
    onError: (error) => fail(error, 'Not all answers could be corrected. Please try again.'),
  });
  const undo = useMutation({
    mutationFn: takeBack,
    onSuccess: () => setDone(null),
    onError: (error) => fail(error, 'Not all corrections could be undone. Please try again.'),
  });
  const say = (said: Correction['said']) => {
    if (chosen.length > 0 && !apply.isPending) apply.mutate({ items: chosen, said });
  };

  return (
    <Card aria-labelledby="items-title" className="grid grid-cols-1 gap-4">
      <h2 id="items-title" className="section-title">
        Photos
      </h2>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <SelectField
          label="Order"
          value={filter.sort}
          onChange={({ target }) => change({ sort: target.value === 'sent' ? 'sent' : 'doubt' })}
        >
          <option value="doubt">Most doubtful first</option>
          <option value="sent">As sent</option>
        </SelectField>
        <SelectField
          label="State"
          value={filter.state}
          onChange={({ target }) => change({ state: target.value })}
        >
          <option value="">All</option>
          {Object.entries(STATES).map(([state, text]) => (
            <option key={state} value={state}>
              {text}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Answer"
          value={filter.verdict}
          onChange={({ target }) => change({ verdict: target.value })}
        >
          <option value="">All</option>
          <option value="identified">Identified</option>
          <option value="not-sure">Not sure</option>
        </SelectField>
        <SelectField
          label="Part"
          value={filter.type}
          onChange={({ target }) => change({ type: target.value })}
        >
          <option value="">All</option>
          {[...allTypes].map(([label, name]) => (
            <option key={label} value={label}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      {chosen.length > 0 ? (
        <div
          role="group"
          aria-label="Correct the chosen photos"
          className="grid items-end gap-3 rounded-lg border p-3 sm:grid-cols-[minmax(0,1fr)_auto]"
        >
          <PartSearchBox
            label={`What ${countOf(chosen.length, 'photo')} show`}
            typesOnly
            disabled={apply.isPending}
            onChoose={(part) => say({ answer: 'other-part', label: part.label })}
          />
          <div className="flex flex-wrap gap-2">
            <Button disabled={apply.isPending} onClick={() => say({ answer: 'right' })}>
              Right
            </Button>
            <Button disabled={apply.isPending} onClick={() => say({ answer: 'not-a-part' })}>
              Not a Part
            </Button>
            <Button look="ghost" onClick={() => setSelection(NOTHING)}>
              Choose None
            </Button>
          </div>
        </div>
      ) : (
        <p className="text-sm text-muted">
          Choose photos by a click, several with Shift or Ctrl, or with the arrow keys and Space; R
          says that the answers are right, N that they show no part.
        </p>
      )}
      {done !== null && (
        <div className="flex items-center justify-between gap-3 text-sm text-soft">
          <p role="status">{countOf(done.items.length, 'photo')} corrected.</p>
          <Button size="small" disabled={undo.isPending} onClick={() => undo.mutate(done)}>
            Undo
          </Button>
        </div>
      )}
      <QueryState query={pages} what="The photos" label="Loading photos" />
      {pages.isSuccess && items.length === 0 && (
        <p className="py-6 text-center text-sm text-muted">No photos of this kind.</p>
      )}
      {items.length > 0 && (
        <ItemGrid
          ref={grid}
          items={items}
          selection={selection}
          onSelect={setSelection}
          onKey={(key) => {
            if (key === 'r') say({ answer: 'right' });
            if (key === 'n') say({ answer: 'not-a-part' });
          }}
          onEnd={() => {
            if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
          }}
        />
      )}
    </Card>
  );
}
