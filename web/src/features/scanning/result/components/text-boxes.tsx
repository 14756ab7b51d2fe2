import type { Schemas } from '@/api/client';
import type { ScanView } from '@/features/scanning/result/scan-view';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import type { Photo } from '@/lib/photos/photo';

type TextBoxesProps = {
  view: ScanView;
  photos: Photo[];
  lines: Schemas['ScanReadLine'][];
};

/** The photos with a frame around each line that was read; for a scan of the history the one that is kept. */
export function TextBoxes({ view, photos, lines }: TextBoxesProps) {
  const lead = Math.max(
    0,
    view.photos.findIndex(({ isLead }) => isLead),
  );
  const numbers = [...new Set(lines.map(({ photo }) => photo))].sort((one, other) => one - other);
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      {numbers.map((number) => (
        <Framed
          key={number}
          photo={photos[number] ?? null}
          kept={number === lead ? view.thumbnailUrl : null}
          lines={lines.filter(({ photo }) => photo === number)}
        />
      ))}
    </div>
  );
}

type FramedProps = {
  photo: Photo | null;
  kept: string | null;
  lines: Schemas['ScanReadLine'][];
};

function Framed({ photo, kept, lines }: FramedProps) {
  const taken = usePhotoUrl(photo?.blob ?? null);
  const url = taken ?? kept;
  if (url === null) {
    return <p className="text-sm text-muted">This photo is not kept here.</p>;
  }
  return (
    <figure className="relative justify-self-start overflow-hidden rounded-md border">
      <img
        src={url}
        alt={`Your photo, with ${lines.length === 1 ? 'one line' : `${lines.length} lines`} of text marked`}
        className="block max-h-96 max-w-full"
      />
      {/* The corners are shares of the photo, so the drawing is as large as it whatever its size. */}
      <svg
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
        className="pointer-events-none absolute inset-0 size-full"
        aria-hidden
      >
        {lines.map(({ corners }, index) => (
          <polygon
            key={index}
            points={corners.map((corner) => corner.join(',')).join(' ')}
            vectorEffect="non-scaling-stroke"
            className="fill-accent/15 stroke-accent stroke-2"
          />
        ))}
      </svg>
    </figure>
  );
}
