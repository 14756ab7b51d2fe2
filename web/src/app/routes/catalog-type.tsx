import { useMutation, useQuery } from '@tanstack/react-query';
import { ImagePlus, Pencil } from 'lucide-react';
import { useRef, useState } from 'react';
import { useParams } from 'react-router';
import { BackToCatalog } from '@/app/routes/back-to-catalog';
import { useMayChange } from '@/app/routes/shop/use-may-change';
import type { Schemas } from '@/api/client';
import { categoryName } from '@/api/part-category';
import { partTypeQuery } from '@/api/part-type';
import { DeleteButton } from '@/components/delete-button';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { LazyPartPictures } from '@/components/drawings/lazy-drawings';
import { ManagersOnly } from '@/components/managers-only';
import { SignInRequired } from '@/components/sign-in-required';
import { UndoRow } from '@/components/undo-row';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { LoadingBlock } from '@/components/ui/skeleton';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { ChangeTypeDialog } from '@/features/teaching/taught-parts/components/change-type-dialog';
import { LookAlikes } from '@/features/teaching/taught-parts/components/look-alikes';
import { ReferenceGrid } from '@/features/teaching/taught-parts/components/reference-grid';
import { TeachDialog } from '@/features/teaching/taught-parts/components/teach-dialog';
import { changeDraftKey, teachDraftKey } from '@/features/teaching/taught-parts/model';
import { catalogMutations } from '@/features/teaching/taught-parts/mutations';
import { numberText } from '@/features/parts/shop-parts/model';
import { shopPartQueries } from '@/features/parts/shop-parts/queries';
import { useDialog } from '@/hooks/use-dialog';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useHasDraft } from '@/hooks/use-draft';
import { countOf } from '@/lib/format';

/** One part with the photos that show it. */
export function CatalogTypeRoute() {
  const { id = '' } = useParams();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <BackToCatalog />
      <SignedIn
        label="Loading the part"
        visitor={
          <>
            <h1 className="page-title">Part</h1>
            <SignInRequired picture={<EmptyShelf />}>Sign in to see this part.</SignInRequired>
          </>
        }
      >
        {() => <Type key={id} id={id} />}
      </SignedIn>
    </div>
  );
}

type TypeProps = { id: string };

function Type({ id }: TypeProps) {
  const part = useQuery(partTypeQuery(id));
  const shopParts = useQuery(shopPartQueries.ofType(id));
  const [adding, setAdding] = useState(useHasDraft(teachDraftKey(id)));
  const ownParts = (shopParts.data?.items ?? []).filter(({ mayChange }) => mayChange);
  const mayChange = useMayChange();
  // Parts of one's own stay one's own in a company, and so does teaching them.
  const mayAdd = ownParts.length > 0 || mayChange;
  const changing = useDialog(useHasDraft(changeDraftKey(id)));
  const [deleted, setDeleted] = useState(false);
  const [deletedPhotos, setDeletedPhotos] = useState<Schemas['TaughtReference'][]>([]);
  const heading = useRef<HTMLHeadingElement>(null);
  const fail = useFailureToast();
  const remove = useMutation({
    mutationFn: catalogMutations.deleteType,
    onSuccess: () => setDeleted(true),
    onError: (error) => fail(error, 'The part could not be deleted. Please try again.'),
  });
  const restore = useMutation({
    mutationFn: catalogMutations.restoreType,
    onSuccess: () => setDeleted(false),
    onError: (error) => fail(error, 'The part could not be brought back. Please try again.'),
  });
  if (part.isPending) return <LoadingBlock label="Loading the part" rowClassName="h-28" />;
  if (part.isLoadingError) {
    return (
      <>
        <h1 className="page-title">Part</h1>
        <LoadFailure what="The part" query={part} />
      </>
    );
  }
  const { name, category, position, isShared, isOwn, modelKnows, references, lookAlikes } =
    part.data;
  return (
    <>
      <title>{`Partsight - ${name}`}</title>
      <header className="flex flex-wrap items-end justify-between gap-3">
        <div className="grid min-w-0 gap-2">
          <h1 ref={heading} tabIndex={-1} className="page-title wrap-anywhere">
            {name}
          </h1>
          <p className="flex flex-wrap gap-1.5">
            <Badge tone="outline">{categoryName(category)}</Badge>
            <Badge>{countOf(references.length, 'photo')}</Badge>
            {isShared && <Badge tone="primary">Known to all</Badge>}
          </p>
        </div>
        {!deleted && (
          <div className="flex flex-wrap items-center gap-2">
            {isOwn && (
              <>
                <DeleteButton
                  label={`Delete ${name}`}
                  title={`Delete ${name}?`}
                  description={deletionText(references.length)}
                  confirmLabel="Delete"
                  pending={remove.isPending}
                  focusOnConfirm={heading}
                  onConfirm={() => remove.mutateAsync(id)}
                />
                <Button onClick={changing.show}>
                  <Pencil className="size-4" aria-hidden />
                  Edit
                </Button>
              </>
            )}
            {mayAdd === true && (
              <Button look="primary" onClick={() => setAdding(true)}>
                <ImagePlus className="size-4" aria-hidden />
                Add Photos
              </Button>
            )}
          </div>
        )}
      </header>
      {/* Out of the flow while it is empty, so that it leaves no gap. */}
      <div role="status" className="empty:absolute">
        {deleted && (
          <Card>
            <UndoRow
              text="This part is deleted. You can bring it back until you leave this page."
              what={name}
              pending={restore.isPending}
              onUndo={() => {
                heading.current?.focus();
                restore.mutate(id);
              }}
            />
          </Card>
        )}
      </div>
      {mayAdd === false && <ManagersOnly />}
      {!deleted && (
        <>
          <Card aria-label="Photos of this part" className="grid grid-cols-1 gap-4">
            {references.length === 0 && (
              <EmptyState picture={<EmptyShelf />} title="No photos taught">
                {modelKnows
                  ? 'The model knows this part by itself. Photos of yours make it surer of what your shop sees.'
                  : 'Without photos the scanner cannot find this part.'}
              </EmptyState>
            )}
            <ReferenceGrid
              references={references}
              deleted={deletedPhotos}
              onDeleted={(photo) =>
                // It may have been deleted before, and brought back.
                setDeletedPhotos((current) => [
                  ...current.filter((one) => one.id !== photo.id),
                  photo,
                ])
              }
            />
          </Card>
          <LookAlikes id={id} name={name} lookAlikes={lookAlikes} />
          <Card aria-label="On the car">
            <LazyPartPictures label={id} name={name} position={position} heading="h2" />
          </Card>
        </>
      )}
      {changing.turn > 0 && (
        <ChangeTypeDialog key={changing.turn} part={{ id, name, category }} {...changing.props} />
      )}
      {adding && (
        <TeachDialog
          known={{ id, name }}
          shopParts={ownParts.map((one) => ({ id: one.id, title: numberText(one) }))}
          anyOlderParts={typeof shopParts.data?.next === 'string'}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  );
}

/** What becomes of a part with so many photos once it is deleted. */
function deletionText(photos: number): string {
  const lost = photos > 0 ? ` ${countOf(photos, 'photo')} of it will be deleted as well.` : '';
  return `Scans will no longer find it.${lost} Past scans and repairs keep its name.`;
}
