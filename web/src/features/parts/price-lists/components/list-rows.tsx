import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { Logbook } from '@/components/pictures';
import { UndoRow } from '@/components/undo-row';
import { Badge } from '@/components/ui/badge';
import { priceListMutations } from '@/features/parts/price-lists/mutations';
import { priceListsQuery } from '@/features/parts/price-lists/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, formatDate } from '@/lib/format';

type ListRowsProps = { heading: RefObject<HTMLElement | null>; emptyAction: ReactNode };

/** The price lists of the shop; deleted and replaced ones can be brought back for 30 days. */
export function ListRows({ heading, emptyAction }: ListRowsProps) {
  const lists = useQuery(priceListsQuery());
  const { remove, restore } = useChanges();
  if (lists.data === undefined) {
    return <QueryState query={lists} what="The price lists" label="Loading the price lists" />;
  }
  if (lists.data == null || lists.data.length === 0) {
    return (
      <EmptyState picture={<Logbook />} title="No price lists yet" action={emptyAction}>
        Upload what your suppliers send you. Their prices then stand beside the others.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Price lists" className="divide-y">
      {lists.data.map((list) => (
        <li key={list.id}>
          {list.deletedAt === null ? (
            <ListRow
              list={list}
              heading={heading}
              removing={remove.isPending}
              onRemove={() => remove.mutate(list.id)}
            />
          ) : (
            <UndoRow
              text={`${list.name}, deleted or replaced ${formatDate(list.deletedAt)}`}
              what={list.name}
              pending={restore.isPending}
              onUndo={() => restore.mutate(list.id)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

type ListRowProps = {
  list: Schemas['PriceList'];
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onRemove: () => void;
};

function ListRow({ list, heading, removing, onRemove }: ListRowProps) {
  const { name, supplier, currency, rows, publishedAt } = list;
  return (
    <div className="flex items-start gap-2 py-3">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-medium wrap-anywhere">{name}</span>
          <Badge tone="outline">{currency}</Badge>
        </p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          {supplier !== name && <span className="wrap-anywhere text-soft">{supplier}</span>}
          <span>{countOf(rows, 'price')}</span>
          <span>Since {formatDate(publishedAt)}</span>
        </p>
      </div>
      <DeleteButton
        label={`Delete ${name}`}
        title="Delete this price list?"
        description={`The ${countOf(rows, 'price')} of ${name} are no longer shown. You can bring the list back for 30 days.`}
        confirmLabel="Delete"
        pending={removing}
        focusOnConfirm={heading}
        onConfirm={onRemove}
      />
    </div>
  );
}

function useChanges() {
  const fail = useFailureToast();
  const onError = (error: Error) => fail(error, 'That did not work. Please try again.');
  return {
    remove: useMutation({ mutationFn: priceListMutations.remove, onError }),
    restore: useMutation({ mutationFn: priceListMutations.restore, onError }),
  };
}
