import { X } from 'lucide-react';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { classNames } from '@/lib/class-names';
import type { Photo } from '@/lib/photos/photo';

type RemovablePictureProps = {
  photo: Photo;
  /** Its place among the others, from 1. */
  number: number;
  /** Marks a photo that was not taken. */
  refused?: boolean;
  onRemove: () => void;
  /** Left out, the picture can only be looked at. */
  onCrop?: () => void;
};

/** A photo that is not sent yet, with the way to take it out again. */
export function RemovablePicture({
  photo,
  number,
  refused = false,
  onRemove,
  onCrop,
}: RemovablePictureProps) {
  const url = usePhotoUrl(photo.blob);
  const frame = classNames(
    'block size-full overflow-hidden rounded-md border-2 bg-canvas',
    refused ? 'border-bad' : 'border-line',
  );
  const picture = url !== null && (
    <img
      src={url}
      alt={onCrop === undefined ? `Photo ${number}` : ''}
      className="size-full object-cover"
    />
  );
  return (
    <div className="relative aspect-square">
      {onCrop === undefined ? (
        <div className={frame}>{picture}</div>
      ) : (
        <button
          type="button"
          aria-label={`Crop photo ${number}`}
          onClick={onCrop}
          className={classNames(frame, 'hover:border-accent')}
        >
          {picture}
        </button>
      )}
      <button
        type="button"
        aria-label={`Remove photo ${number}`}
        onClick={onRemove}
        className="absolute -top-2 -right-2 grid size-7 place-items-center rounded-full border bg-canvas/90 text-ink hover:bg-hover"
      >
        <X className="size-4" aria-hidden />
      </button>
    </div>
  );
}
