import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { ReferencePicture } from '@/components/reference-picture';
import { ShopPartTexts } from '@/components/shop-part-texts';
import { resemblanceText, type TeachingRefusal } from '@/features/teaching/taught-parts/model';
import { classNames } from '@/lib/class-names';
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
  const { message, pictureUrl, resembles } = refusal;
  const title = `Photo ${resembles?.photo ?? (refusal.photo ?? 0) + 1}`;
  const other =
    resembles === null
      ? { url: pictureUrl, title: 'Taught before', alt: 'The photo that was taught before' }
      : { url: resembles.thumbnailUrl, title: resembles.name, alt: resembles.name };
  return (
    <div
      role="alert"
      className={classNames(
        'grid grid-cols-1 gap-3 rounded-md p-3 text-sm',
        resembles === null ? 'bg-bad-wash' : 'bg-warn-wash',
      )}
    >
      <p className={resembles === null ? 'wrap-anywhere text-bad' : 'text-warn'}>
        {resembles === null ? message : resemblanceText(resembles)}
      </p>
      <div className="flex flex-wrap gap-3 empty:hidden">
        {url !== null && (
          <Side title={title}>
            <img src={url} alt={title} className="size-full object-cover" />
          </Side>
        )}
        {other.url !== null && (
          <Side title={other.title}>
            <ReferencePicture url={other.url} alt={other.alt} />
          </Side>
        )}
      </div>
      {resembles !== null && <ShopPartTexts parts={resembles.shopParts} />}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {/* It marks the two parts as look-alikes. */}
        {resembles !== null && (
          <Button size="small" look="primary" onClick={onAccept}>
            Keep It Anyway
          </Button>
        )}
        {(resembles !== null || (refusal.photo !== null && photo !== null)) && (
          <Button size="small" onClick={onRemove}>
            Remove {title}
          </Button>
        )}
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
