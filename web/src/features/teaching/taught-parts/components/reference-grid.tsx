import { useMutation } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { DeleteButton } from '@/components/delete-button';
import { ReferencePicture } from '@/components/reference-picture';
import { originOf } from '@/features/teaching/taught-parts/model';
import { catalogMutations } from '@/features/teaching/taught-parts/mutations';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { formatDate } from '@/lib/format';

type ReferenceGridProps = {
  references: Schemas['TaughtReference'][];
  /** Those that were deleted since the page was opened: it keeps them, as it outlives this grid. */
  deleted: Schemas['TaughtReference'][];
  onDeleted: (reference: Schemas['TaughtReference']) => void;
};

/** The photos of a part. A deleted one can be brought back until the page is left. */
export function ReferenceGrid({ references, deleted, onDeleted }: ReferenceGridProps) {
  const list = useRef<HTMLUListElement>(null);
  const gone = deleted.filter(({ id }) => references.every((reference) => reference.id !== id));
  // The server's order: photos of one lesson may have one time.
  const shown = [...references, ...gone].toSorted(
    (one, other) => one.createdAt.localeCompare(other.createdAt) || one.id.localeCompare(other.id),
  );
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Photos"
      className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5"
    >
      {shown.map((reference, index) => {
        // The day alone is that of many photos.
        const title = `photo ${index + 1}, of ${formatDate(reference.createdAt)}`;
        return (
          <li key={reference.id}>
            {gone.includes(reference) ? (
              <DeletedReference reference={reference} title={title} list={list} />
            ) : (
              <ReferenceTile
                reference={reference}
                title={title}
                list={list}
                onDeleted={() => onDeleted(reference)}
              />
            )}
          </li>
        );
      })}
    </ul>
  );
}

type ReferenceProps = {
  reference: Schemas['TaughtReference'];
  /** `photo 3, of Mar 05, 2025`: names its picture and its buttons for those who listen. */
  title: string;
  /** Has the focus once the button that was pressed is gone. */
  list: RefObject<HTMLUListElement | null>;
};

type ReferenceTileProps = ReferenceProps & { onDeleted: () => void };

function ReferenceTile({ reference, title, list, onDeleted }: ReferenceTileProps) {
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: catalogMutations.deleteReference,
    onSuccess: onDeleted,
    onError: (error) => fail(error, 'The photo could not be deleted. Please try again.'),
  });
  return (
    <figure className="grid gap-1.5">
      <div className="aspect-square overflow-hidden rounded-md border bg-canvas">
        <ReferencePicture url={reference.thumbnailUrl} alt={title.replace('photo', 'Photo')} />
      </div>
      <figcaption className="flex items-center justify-between gap-1 text-xs text-muted *:last:shrink-0">
        <span>
          {originOf(reference)}, {formatDate(reference.createdAt)}
        </span>
        {reference.isOwn && (
          <DeleteButton
            label={`Delete ${title}`}
            title="Delete this photo?"
            description="The part is then recognised without it. You can bring it back until you leave this page."
            confirmLabel="Delete"
            pending={remove.isPending}
            focusOnConfirm={list}
            onConfirm={() => remove.mutateAsync(reference.id)}
          />
        )}
      </figcaption>
    </figure>
  );
}

function DeletedReference({ reference, title, list }: ReferenceProps) {
  const fail = useFailureToast();
  const restore = useMutation({
    mutationFn: catalogMutations.restoreReference,
    onError: (error) => fail(error, 'The photo could not be brought back. Please try again.'),
  });
  return (
    <div className="grid aspect-square place-content-center justify-items-center gap-2 rounded-md border border-dashed p-2 text-center text-sm text-muted">
      <p>Photo deleted</p>
      <Button
        size="small"
        aria-label={`Undo deleting ${title}`}
        disabled={restore.isPending}
        onClick={() => {
          list.current?.focus();
          restore.mutate(reference.id);
        }}
      >
        <Undo2 className="size-4" aria-hidden />
        Undo
      </Button>
    </div>
  );
}
