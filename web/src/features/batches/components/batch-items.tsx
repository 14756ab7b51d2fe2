import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { QueryState } from '@/components/query-state';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { discardAction, type BoardAction } from '@/features/batches/components/board-action';
import { ItemFilters } from '@/features/batches/components/item-filters';
import { ItemBoard } from '@/features/batches/components/item-board';
import {
  NOTHING,
  photosOf,
  searchedNumber,
  typeOptions,
  type Impossible,
} from '@/features/batches/model';
import { arrange, batchMutations, discard, join, split } from '@/features/batches/mutations';
import {
  ALL_ITEMS,
  batchQueries,
  type Batch,
  type BatchItem,
  type ItemFilter,
} from '@/features/batches/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useSettled } from '@/hooks/use-settled';
import { countOf } from '@/lib/format';

/** The most photos that one item may have. */
const MOST_PHOTOS = 5;
/** A number is searched for when nothing was typed for so long. */
const TYPING_MS = 300;

/** The photos of a batch with their answers, an entry for each item. */
export function BatchItems({ batch }: { batch: Batch }) {
  const [filter, setFilter] = useState<ItemFilter>(ALL_ITEMS);
  const [selection, setSelection] = useState(NOTHING);
  const number = useSettled(searchedNumber(filter.number), TYPING_MS);
  const pages = useInfiniteQuery(
    batchQueries.items(batch.id, { ...filter, number }, batch.state === 'running'),
  );
  const { state } = batch;
  const types = useQuery(batchQueries.types(batch.id, state === 'running'));
  const { refetch } = pages;
  const { refetch: refetchTypes } = types;
  const shown = useRef(state);
  useEffect(() => {
    // The last answers came after the photos were read for the last time.
    if (shown.current !== state) {
      void refetch();
      void refetchTypes();
    }
    shown.current = state;
  }, [state, refetch, refetchTypes]);
  const items = useMemo(() => pages.data?.pages.flatMap((page) => page.items) ?? [], [pages.data]);
  const offered = types.data?.types ?? [];
  const [chosenType, setChosenType] = useState<(typeof offered)[number] | null>(null);
  const more = useMemo(() => actionsOf(batch.id, filter.discarded), [batch.id, filter.discarded]);

  const change = (part: Partial<ItemFilter>) => {
    if (part.type !== undefined) {
      setChosenType(offered.find(({ label }) => label === part.type) ?? null);
    }
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
      <ItemFilters filter={filter} types={typeOptions(offered, chosenType)} onChange={change} />
      {batch.counts.failed > 0 && filter.state !== 'failed' && (
        <Notice
          tone="warn"
          title={`${countOf(batch.counts.failed, 'photo')} without an answer`}
          action={
            <Button
              size="small"
              onClick={() => change({ state: 'failed', type: '', verdict: '', number: '' })}
            >
              {batch.counts.failed === 1 ? 'Show It' : 'Show Them'}
            </Button>
          }
        >
          {batch.counts.failed === 1
            ? 'It says why. Unless it was refused on arrival, it is kept to be tried again until the batch is deleted.'
            : 'Each says why. All but those that were refused on arrival are kept to be tried again until the batch is deleted.'}
        </Notice>
      )}
      <QueryState query={pages} what="The photos" label="Loading photos" />
      {pages.data !== undefined && items.length === 0 && (
        <p className="py-6 text-center text-sm text-muted">No photos of this kind.</p>
      )}
      <ItemBoard
        batchId={batch.id}
        items={items}
        selection={selection}
        onSelect={setSelection}
        more={more}
        pages={pages}
      />
    </Card>
  );
}

function joinRefusal(items: BatchItem[]): Impossible | null {
  if (items.length < 2) {
    return {
      title: 'One alone cannot be joined',
      description: 'Choose all that show the same item.',
    };
  }
  if (items.flatMap(photosOf).length <= MOST_PHOTOS) return null;
  return {
    title: `One item has at most ${MOST_PHOTOS} photos`,
    description: 'Choose fewer of them.',
  };
}

/** What a batch has beside correcting, teaching and grading. */
function actionsOf(batchId: string, areDiscarded: boolean): readonly BoardAction[] {
  return [
    {
      key: 'j',
      label: 'Join',
      done: () => 'Joined as one item.',
      impossible: joinRefusal,
      act: (items) => join(batchId, items),
      undo: (items) => arrange(batchId, items),
    },
    {
      key: 's',
      label: 'Split',
      done: (items) => `${countOf(items.length, 'item')} split.`,
      impossible: (items) =>
        items.some(({ group }) => group !== null)
          ? null
          : {
              title: 'There is nothing to split',
              description: 'None of the chosen photos is joined with another.',
            },
      act: (items) =>
        split(
          batchId,
          items.filter(({ group }) => group !== null),
        ),
      undo: (items) =>
        arrange(
          batchId,
          items.filter(({ group }) => group !== null),
        ),
    },
    discardAction(areDiscarded, (items, discarded) => discard(batchId, items, discarded)),
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
