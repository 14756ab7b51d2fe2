import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { ReferencePicture } from '@/components/reference-picture';
import type { TeachingRefusal } from '@/features/teaching/taught-parts/model';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import type { Photo } from '@/lib/photos/photo';

type CollisionProps = {
  refusal: TeachingRefusal;
  photo: Photo | null;
  onAccept: () => void;
  onRemove: () => void;
};

/** A photo that was refused beside what it looks like, and what can be done about it. */
export function Collision({ refusal, photo, onAccept, onRemove }: CollisionProps) {
  const url = usePhotoUrl(photo?.blob ?? null);
  const number = (refusal.photo ?? 0) + 1;
  return (
    <div role="alert" className="grid gap-3 rounded-md bg-bad-wash p-3 text-sm">
      <p className="text-bad">{refusal.message}</p>
      {(url !== null || refusal.pictureUrl !== null) && (
        <div className="flex flex-wrap gap-3">
          {url !== null && (
            <Side title={`Photo ${number}`}>
              <img src={url} alt={`Photo ${number}`} className="size-full object-cover" />
            </Side>
          )}
          {refusal.pictureUrl !== null && (
            <Side title="What it looks like">
              <ReferencePicture url={refusal.pictureUrl} alt="What the photo looks like" />
            </Side>
          )}
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {refusal.photo !== null && photo !== null && (
          <Button size="small" onClick={onRemove}>
            Remove Photo {number}
          </Button>
        )}
        {refusal.canAccept && (
          <Button size="small" look="danger" onClick={onAccept}>
            Keep It All the Same
          </Button>
        )}
      </div>
    </div>
  );
}

type SideProps = { title: string; children: ReactNode };

function Side({ title, children }: SideProps) {
  return (
    <figure className="grid gap-1">
      <div className="size-24 overflow-hidden rounded-md border bg-canvas sm:size-28">
        {children}
      </div>
      <figcaption className="text-xs text-soft">{title}</figcaption>
    </figure>
  );
}
