import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { SelectField } from '@/components/ui/select-field';
import { useToast } from '@/components/ui/use-toast';
import type { BoardAction } from '@/features/batches/components/board-action';
import { ItemBoard } from '@/features/batches/components/item-board';
import { NOTHING, photosOf, STATES, typesOf } from '@/features/batches/model';
import { batchMutations, discard, join, joinAgain, split } from '@/features/batches/mutations';
import { ALL_ITEMS, batchQueries, type Batch, type ItemFilter } from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf } from '@/lib/format';

/** The most photos that one item may have. */
const MOST_PHOTOS = 5;

/** The photos of a batch with their answers, an entry for each item. */
export function BatchItems({ batch }: { batch: Batch }) {
  const [filter, setFilter] = useState<ItemFilter>(ALL_ITEMS);
  const [selection, setSelection] = useState(NOTHING);
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
  const more = useMemo(() => actionsOf(batch.id, filter.discarded), [batch.id, filter.discarded]);

  const change = (part: Partial<ItemFilter>) => {
    setTypes(allTypes);
    setFilter({ ...filter, ...part });
    setSelection(NOTHING);
  };

  return (
    <Card aria-labelledby="items-title" className="grid grid-cols-1 gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <h2 id="items-title" className="section-title">
          Photos
        </h2>
        {state !== 'open' && <ProposeGroups batchId={batch.id} />}
      </header>
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-5">
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
          {Object.entries(STATES).map(([name, text]) => (
            <option key={name} value={name}>
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
        <SelectField
          label="Show"
          value={filter.discarded ? 'discarded' : 'kept'}
          onChange={({ target }) => change({ discarded: target.value === 'discarded' })}
        >
          <option value="kept">The list</option>
          <option value="discarded">Discarded</option>
        </SelectField>
      </div>
      {batch.counts.failed > 0 && filter.state !== 'failed' && (
        <Notice
          tone="warn"
          title={`${countOf(batch.counts.failed, 'photo')} without an answer`}
          action={
            <Button size="small" onClick={() => change({ state: 'failed', type: '', verdict: '' })}>
              Show Them
            </Button>
          }
        >
          Each says why. They are kept to be tried again until the batch is deleted.
        </Notice>
      )}
      <QueryState query={pages} what="The photos" label="Loading photos" />
      {pages.isSuccess && items.length === 0 && (
        <p className="py-6 text-center text-sm text-muted">No photos of this kind.</p>
      )}
      <ItemBoard
        items={items}
        selection={selection}
        onSelect={setSelection}
        more={more}
        onEnd={() => {
          if (pages.hasNextPage && !pages.isFetching) void pages.fetchNextPage();
        }}
      />
    </Card>
  );
}

/** What a batch has beside correcting, teaching and grading. */
function actionsOf(batchId: string, areDiscarded: boolean): readonly BoardAction[] {
  const put: BoardAction = {
    key: 'd',
    label: areDiscarded ? 'Put Back' : 'Discard',
    done: (items) =>
      `${countOf(items.length, 'photo')} ${areDiscarded ? 'put back' : 'discarded'}.`,
    isFor: (items) => items.length > 0,
    act: (items) => discard(batchId, items, !areDiscarded),
    undo: (items) => discard(batchId, items, areDiscarded),
  };
  return [
    {
      key: 'j',
      label: 'Join',
      done: () => 'Joined as one item.',
      isFor: (items) => items.length > 1 && items.flatMap(photosOf).length <= MOST_PHOTOS,
      act: (items) => join(batchId, items),
      // What was a group before is one again.
      undo: async (items) => {
        await split(batchId, items);
        await joinAgain(batchId, items);
      },
    },
    {
      key: 's',
      label: 'Split',
      done: (items) => `${countOf(items.length, 'item')} split.`,
      isFor: (items) => items.some(({ group }) => group !== null),
      act: (items) =>
        split(
          batchId,
          items.filter(({ group }) => group !== null),
        ),
      undo: (items) => joinAgain(batchId, items),
    },
    put,
  ];
}

function ProposeGroups({ batchId }: { batchId: string }) {
  const toast = useToast();
  const fail = useFailureToast();
  const propose = useMutation({
    mutationFn: batchMutations.propose,
    onSuccess: ({ groups }) =>
      toast({
        title: groups === 0 ? 'No groups found' : `${countOf(groups, 'group')} proposed`,
        description:
          groups === 0
            ? 'Names, times and likeness put no photos together. Choose some and join them.'
            : 'Each is one item now. Split what does not belong together.',
      }),
    onError: (error) => fail(error, 'No groups could be proposed. Please try again.'),
  });
  return (
    <Button size="small" disabled={propose.isPending} onClick={() => propose.mutate(batchId)}>
      {propose.isPending ? 'Looking...' : 'Group Photos of One Item'}
    </Button>
  );
}
