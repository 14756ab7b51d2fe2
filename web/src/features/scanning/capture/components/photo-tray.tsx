import { useEffect, useRef } from 'react';
import { RemovablePicture } from '@/components/removable-picture';
import { MAX_PHOTOS } from '@/features/scanning/capture/scan-flow';
import type { Photo } from '@/lib/photos/photo';

type PhotoTrayProps = {
  photos: Photo[];
  onCrop: (photo: Photo, index: number) => void;
  onRemove: (index: number) => void;
};

/** The photos of one part before they are sent together. */
export function PhotoTray({ photos, onCrop, onRemove }: PhotoTrayProps) {
  const heading = useRef<HTMLParagraphElement>(null);
  // What led here may be gone with the result that it was part of.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <div className="grid gap-2">
      <p ref={heading} tabIndex={-1} role="status" className="text-sm text-soft">
        {photos.length === 0
          ? `Take or choose up to ${MAX_PHOTOS} photos of one part, from different sides.`
          : `${photos.length} of at most ${MAX_PHOTOS} photos of one part. They count as one scan.`}
      </p>
      {photos.length > 0 && (
        <ul aria-label="Photos to scan together" className="grid grid-cols-5 gap-2">
          {photos.map((photo, index) => (
            <li key={index}>
              <RemovablePicture
                photo={photo}
                number={index + 1}
                onCrop={() => onCrop(photo, index)}
                onRemove={() => {
                  onRemove(index);
                  // The button is gone, and with it the focus.
                  heading.current?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
