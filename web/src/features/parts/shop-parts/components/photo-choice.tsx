import { useQuery } from '@tanstack/react-query';
import { partTypeQuery } from '@/api/part-type';
import { QueryState } from '@/components/query-state';
import { ReferencePicture } from '@/components/reference-picture';
import { MAX_PHOTOS } from '@/features/parts/shop-parts/model';
import { formatDate } from '@/lib/format';

type PhotoChoiceProps = {
  /** The part type whose photos there are to choose from. */
  label: string;
  /** Ids of those that show this part. */
  photos: string[];
  onChange: (photos: string[]) => void;
};

/** Which of the taught photos of a part type show this very part. */
export function PhotoChoice({ label, photos, onChange }: PhotoChoiceProps) {
  const type = useQuery(partTypeQuery(label));
  return (
    <fieldset className="col-span-2 grid min-w-0 gap-2">
      <legend className="mb-2 text-sm font-medium">
        Photos{' '}
        <span className="font-normal text-muted">
          {photos.length === 0 ? '(none)' : `(${photos.length} of at most ${MAX_PHOTOS})`}
        </span>
      </legend>
      <QueryState
        query={type}
        what="The photos"
        label="Loading the photos"
        rows={1}
        rowClassName="h-16"
      />
      {type.data?.references.length === 0 && (
        <p className="text-sm text-muted">
          No photo of this part type was taught. Once there are some, choose here which show this
          part.
        </p>
      )}
      <div className="grid grid-cols-3 gap-2 empty:hidden sm:grid-cols-4">
        {type.data?.references.map(({ id, thumbnailUrl, createdAt }, index) => {
          const chosen = photos.includes(id);
          return (
            <label
              key={id}
              className="relative aspect-square overflow-hidden rounded-md border-2 bg-canvas has-checked:border-accent has-focus-visible:outline-2 has-focus-visible:outline-accent-strong"
            >
              <ReferencePicture
                url={thumbnailUrl}
                alt={`Photo ${index + 1} of ${formatDate(createdAt)}`}
              />
              <input
                type="checkbox"
                checked={chosen}
                disabled={!chosen && photos.length >= MAX_PHOTOS}
                onChange={() =>
                  onChange(chosen ? photos.filter((one) => one !== id) : [...photos, id])
                }
                className="absolute top-1.5 left-1.5 size-5 accent-accent outline-none"
              />
            </label>
          );
        })}
      </div>
    </fieldset>
  );
}
