import type { ReactNode } from 'react';
import type { ResembledPart } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { ReferencePicture } from '@/components/reference-picture';
import { ShopPartTexts } from '@/components/shop-part-texts';
import { resemblanceText, type TeachingRefusal } from '@/features/teaching/taught-parts/model';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import type { Photo } from '@/lib/photos/photo';

type CollisionProps = {
  refusal: TeachingRefusal;
  photo: Photo | null;
  onAccept: () => void;
  onRemove: () => void;
};

/** A photo that was refused, or that looks like another part, and what can be done about it. */
export function Collision({ refusal, photo, onAccept, onRemove }: CollisionProps) {
  const url = usePhotoUrl(photo?.blob ?? null);
  const number = (refusal.photo ?? 0) + 1;
  if (refusal.resembles !== null) {
    return (
      <LookAlikeQuestion
        resembled={refusal.resembles}
        url={url}
        onKeep={onAccept}
        onRemove={onRemove}
      />
    );
  }
  return (
    <div role="alert" className="grid grid-cols-1 gap-3 rounded-md bg-bad-wash p-3 text-sm">
      <p className="wrap-anywhere text-bad">{refusal.message}</p>
      {(url !== null || refusal.pictureUrl !== null) && (
        <div className="flex flex-wrap gap-3">
          {url !== null && (
            <Side title={`Photo ${number}`}>
              <img src={url} alt={`Photo ${number}`} className="size-full object-cover" />
            </Side>
          )}
          {refusal.pictureUrl !== null && (
            <Side title="Taught before">
              <ReferencePicture url={refusal.pictureUrl} alt="The photo that was taught before" />
            </Side>
          )}
        </div>
      )}
      {refusal.photo !== null && photo !== null && (
        <div>
          <Button size="small" onClick={onRemove}>
            Remove Photo {number}
          </Button>
        </div>
      )}
    </div>
  );
}

type LookAlikeQuestionProps = {
  resembled: ResembledPart;
  url: string | null;
  onKeep: () => void;
  onRemove: () => void;
};

/** A photo beside the part that it looks like. Keeping it marks the two parts as look-alikes. */
function LookAlikeQuestion({ resembled, url, onKeep, onRemove }: LookAlikeQuestionProps) {
  const { photo, name, thumbnailUrl, shopParts } = resembled;
  return (
    <div role="alert" className="grid grid-cols-1 gap-3 rounded-md bg-warn-wash p-3 text-sm">
      <p className="text-warn">{resemblanceText(resembled)}</p>
      <div className="flex flex-wrap gap-3">
        {url !== null && (
          <Side title={`Photo ${photo}`}>
            <img src={url} alt={`Photo ${photo}`} className="size-full object-cover" />
          </Side>
        )}
        {thumbnailUrl !== null && (
          <Side title={name}>
            <ReferencePicture url={thumbnailUrl} alt={name} />
          </Side>
        )}
      </div>
      <ShopPartTexts parts={shopParts} />
      <div className="flex flex-wrap gap-2">
        <Button size="small" look="primary" onClick={onKeep}>
          Keep It Anyway
        </Button>
        <Button size="small" onClick={onRemove}>
          Remove Photo {photo}
        </Button>
      </div>
    </div>
  );
}

type SideProps = { title: string; children: ReactNode };

function Side({ title, children }: SideProps) {
  return (
    <figure className="grid w-24 grid-cols-1 gap-1 sm:w-28">
      <div className="aspect-square overflow-hidden rounded-md border bg-canvas">{children}</div>
      <figcaption className="text-xs text-soft">{title}</figcaption>
    </figure>
  );
}
