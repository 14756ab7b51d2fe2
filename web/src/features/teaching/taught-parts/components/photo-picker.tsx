import { ImagePlus } from 'lucide-react';
import { useId, useRef, useState, type ComponentProps } from 'react';
import { RemovablePicture } from '@/components/removable-picture';
import { MAX_PHOTOS } from '@/features/teaching/taught-parts/model';
import { classNames } from '@/lib/class-names';
import { useFocusHeir } from '@/hooks/use-focus-heir';
import { checkPhoto, PHOTO_FILES, type Photo } from '@/lib/photos/photo';
import { shrinkPhoto } from '@/lib/photos/shrink-photo';

type PhotoPickerProps = {
  photos: Photo[];
  /** The photo that the server refused, from 0. */
  refused: number | null;
  invalid: boolean;
  /** How many chosen photos are not ready yet, and are not among `photos`. */
  nPreparing: number;
  onPreparing: (change: (nPreparing: number) => number) => void;
  onChange: (change: (photos: Photo[]) => Photo[]) => void;
  onRefusal: (message: string) => void;
};

/** One to five photographs, chosen together or one after another. */
export function PhotoPicker({
  photos,
  refused,
  invalid,
  nPreparing,
  onPreparing,
  onChange,
  onRefusal,
}: PhotoPickerProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const busy = nPreparing > 0;

  const take = async (files: File[]) => {
    const good: Photo[] = [];
    const refusals: string[] = [];
    for (const file of files) {
      const check = checkPhoto(file);
      if (check.ok) good.push(check.photo);
      // Not by number: a refused file is not among the photos that are shown.
      else refusals.push(`${file.name}: ${check.message}`);
    }
    if (photos.length + good.length > MAX_PHOTOS) {
      refusals.push(`A lesson takes ${MAX_PHOTOS} photos. The first are here; add others later.`);
    }
    onPreparing((current) => current + good.length);
    const ready: Photo[] = [];
    for (const photo of good.slice(0, MAX_PHOTOS - photos.length)) {
      ready.push(await shrinkPhoto(photo));
    }
    onChange((current) => [...current, ...ready].slice(0, MAX_PHOTOS));
    onPreparing((current) => current - good.length);
    if (refusals.length > 0) onRefusal(refusals.join(' '));
  };

  return (
    <div className="grid gap-2">
      <ul aria-label="Photos of the part" className="grid grid-cols-3 gap-2 sm:grid-cols-5">
        {photos.map((photo, index) => (
          <Picture
            key={index}
            photo={photo}
            number={index + 1}
            refused={refused === index}
            onRemove={() => onChange((current) => current.filter((_, other) => other !== index))}
          />
        ))}
        {photos.length < MAX_PHOTOS && (
          <li
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              void take([...event.dataTransfer.files]);
            }}
            className={classNames(
              'relative grid aspect-square place-content-center justify-items-center gap-1 rounded-md border-2 border-dashed p-1 text-center has-focus-visible:outline-2 has-focus-visible:outline-accent-strong',
              over ? 'border-accent bg-accent-wash' : 'border-control/60 bg-canvas',
            )}
          >
            <ImagePlus className="size-6 text-muted" aria-hidden />
            <label htmlFor={id} className="text-xs font-medium">
              {busy ? 'Preparing...' : 'Add Photos'}
            </label>
            <input
              id={id}
              type="file"
              accept={PHOTO_FILES}
              multiple
              disabled={busy}
              aria-invalid={invalid}
              onChange={(event) => {
                void take([...(event.target.files ?? [])]);
                event.target.value = '';
              }}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
          </li>
        )}
      </ul>
      <p className="text-xs text-muted">
        One to five, from different sides, each with the part alone. More photos make it surer.
      </p>
    </div>
  );
}

/** The place of the last photo goes when one is taken out: the way to add one has the focus then, or the photo before. */
function Picture(props: ComponentProps<typeof RemovablePicture>) {
  const place = useRef<HTMLLIElement>(null);
  useFocusHeir(
    place,
    ({ nextElementSibling: next, previousElementSibling: previous }) =>
      next?.querySelector('input') ?? previous?.querySelector('button') ?? null,
  );
  return (
    <li ref={place}>
      <RemovablePicture {...props} />
    </li>
  );
}
