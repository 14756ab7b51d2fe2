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
  const shown = [...references, ...gone].toSorted((one, other) =>
    one.createdAt.localeCompare(other.createdAt),
  );
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Photos"
      className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5"
    >
      {shown.map((reference) => (
        <li key={reference.id}>
          {gone.includes(reference) ? (
            <DeletedReference reference={reference} />
          ) : (
            <ReferenceTile
              reference={reference}
              list={list}
              onDeleted={() => onDeleted(reference)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

type ReferenceTileProps = {
  reference: Schemas['TaughtReference'];
  list: RefObject<HTMLUListElement | null>;
  onDeleted: () => void;
};

function ReferenceTile({ reference, list, onDeleted }: ReferenceTileProps) {
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: catalogMutations.deleteReference,
    onSuccess: onDeleted,
    onError: (error) => fail(error, 'The photo could not be deleted. Please try again.'),
  });
  const day = formatDate(reference.createdAt);
  return (
    <figure className="grid gap-1.5">
      <div className="aspect-square overflow-hidden rounded-md border bg-canvas">
        <ReferencePicture url={reference.thumbnailUrl} alt={`Photo of ${day}`} />
      </div>
      <figcaption className="flex items-center justify-between gap-1 text-xs text-muted">
        <span>
          {originOf(reference)}, {day}
        </span>
        {reference.isOwn && (
          <DeleteButton
            label={`Delete the photo of ${day}`}
            title="Delete this photo?"
            description="The part is then recognised without it. You can bring it back until you leave this page."
            confirmLabel="Delete"
            pending={remove.isPending}
            focusOnConfirm={list}
            onConfirm={() => remove.mutate(reference.id)}
          />
        )}
      </figcaption>
    </figure>
  );
}

type DeletedReferenceProps = { reference: Schemas['TaughtReference'] };

function DeletedReference({ reference }: DeletedReferenceProps) {
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
        disabled={restore.isPending}
        onClick={() => restore.mutate(reference.id)}
      >
        <Undo2 className="size-4" aria-hidden />
        Undo
      </Button>
    </div>
  );
}
