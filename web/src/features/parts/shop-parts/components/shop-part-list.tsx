import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState, type ReactNode, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { itemsOf } from '@/api/page';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { LoadMore } from '@/components/load-more';
import { UndoableRow, UndoRow } from '@/components/undo-row';
import { useToast } from '@/components/ui/use-toast';
import { ShopPartRow } from '@/features/parts/shop-parts/components/shop-part-row';
import { numberText } from '@/features/parts/shop-parts/model';
import { shopPartMutations } from '@/features/parts/shop-parts/mutations';
import { shopPartQueries } from '@/features/parts/shop-parts/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';

type ShopPartListProps = {
  heading: RefObject<HTMLElement | null>;
  onEdit: (part: Schemas['ShopPart']) => void;
  /** What can be done where there is nothing yet. */
  emptyAction: ReactNode;
};

/** The parts of the shop. A deleted one can be brought back until the page is left. */
export function ShopPartList({ heading, onEdit, emptyAction }: ShopPartListProps) {
  const parts = useInfiniteQuery(shopPartQueries.list());
  const [deleted, setDeleted] = useState<Schemas['ShopPart'][]>([]);
  const toast = useToast();
  const { remove, restore } = useChanges();
  if (parts.data === undefined) {
    return <QueryState query={parts} what="The parts" label="Loading the parts" />;
  }
  const saved = itemsOf(parts.data.pages);
  const gone = deleted.filter(({ id }) => saved.every((part) => part.id !== id));
  // By the time of making, as the server lists them.
  const shown = [...saved, ...gone].toSorted((left, right) =>
    right.createdAt.localeCompare(left.createdAt),
  );
  if (shown.length === 0) {
    return (
      <EmptyState picture={<EmptyShelf />} title="No parts yet" action={emptyAction}>
        Add the parts that you keep, with their numbers and what they fit. Scans of their type then
        name them.
      </EmptyState>
    );
  }
  return (
    <>
      <ul aria-label="Shop parts" className="divide-y">
        {shown.map((part) => (
          <UndoableRow key={part.id}>
            {gone.includes(part) ? (
              <UndoRow
                text={`${numberText(part)} deleted`}
                what={numberText(part)}
                pending={restore.isPending}
                onUndo={() => restore.mutate(part)}
              />
            ) : (
              <ShopPartRow
                part={part}
                heading={heading}
                removing={remove.isPending}
                onEdit={() => onEdit(part)}
                onRemove={() =>
                  remove.mutateAsync(part.id, {
                    onSuccess: () => {
                      // It may have been deleted before, and brought back.
                      setDeleted((current) => [
                        ...current.filter(({ id }) => id !== part.id),
                        part,
                      ]);
                      toast({
                        title: 'Part deleted',
                        description: `Undo brings ${numberText(part)} back.`,
                      });
                    },
                  })
                }
              />
            )}
          </UndoableRow>
        ))}
      </ul>
      <LoadMore query={parts} />
    </>
  );
}

function useChanges() {
  const fail = useFailureToast();
  const toast = useToast();
  const onError = (error: Error) => fail(error, 'That did not work. Please try again.');
  return {
    remove: useMutation({ mutationFn: shopPartMutations.remove, onError }),
    restore: useMutation({
      mutationFn: ({ id }: Schemas['ShopPart']) => shopPartMutations.restore(id),
      onSuccess: (_, part) => toast({ title: 'Part is back', description: numberText(part) }),
      onError,
    }),
  };
}
