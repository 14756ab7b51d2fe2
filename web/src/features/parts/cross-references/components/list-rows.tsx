import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { EmptyState } from '@/components/empty-state';
import { Logbook } from '@/components/pictures';
import { QueryState } from '@/components/query-state';
import { UndoRow } from '@/components/undo-row';
import { crossReferenceMutations } from '@/features/parts/cross-references/mutations';
import { crossReferencesQuery } from '@/features/parts/cross-references/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, formatDate } from '@/lib/format';

type ListRowsProps = { heading: RefObject<HTMLElement | null>; emptyAction: ReactNode };

/** The lists of the shop; deleted and replaced ones can be brought back for 30 days. */
export function ListRows({ heading, emptyAction }: ListRowsProps) {
  const lists = useQuery(crossReferencesQuery());
  const { remove, restore } = useChanges();
  if (lists.data === undefined) {
    return (
      <QueryState query={lists} what="The cross-references" label="Loading the cross-references" />
    );
  }
  if (lists.data == null || lists.data.length === 0) {
    return (
      <EmptyState picture={<Logbook />} title="No cross-references yet" action={emptyAction}>
        Upload which numbers mean one part. A number on a part then finds yours.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Cross-references" className="divide-y">
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
  list: Schemas['CrossReferenceList'];
  heading: RefObject<HTMLElement | null>;
  removing: boolean;
  onRemove: () => void;
};

function ListRow({ list: { name, rows, publishedAt }, heading, removing, onRemove }: ListRowProps) {
  return (
    <div className="flex items-start gap-2 py-3">
      <div className="grid min-w-0 flex-1 gap-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{countOf(rows, 'row')}</span>
          <span>Since {formatDate(publishedAt)}</span>
        </p>
      </div>
      <DeleteButton
        label={`Delete ${name}`}
        title="Delete these cross-references?"
        description={`The ${countOf(rows, 'row')} of ${name} are no longer followed. You can bring the list back for 30 days.`}
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
    remove: useMutation({ mutationFn: crossReferenceMutations.remove, onError }),
    restore: useMutation({ mutationFn: crossReferenceMutations.restore, onError }),
  };
}
