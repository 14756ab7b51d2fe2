import { ImageOff } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { catalogHref } from '@/config/paths';

type PartPhotoProps = { photo: Schemas['PartPhoto']; caption?: string };

/** A small photo of a part, which leads to that part. */
export function PartPhoto({ photo, caption }: PartPhotoProps) {
  const [missing, setMissing] = useState(false);
  return (
    <Link
      to={catalogHref(photo.label)}
      className="grid w-24 content-start gap-1 rounded-md text-xs hover:text-ink"
    >
      <span className="grid size-24 place-items-center overflow-hidden rounded-md border bg-canvas text-muted">
        {missing ? (
          <>
            <ImageOff className="size-5" aria-hidden />
            <span className="sr-only">No picture kept</span>
          </>
        ) : (
          <img
            src={photo.thumbnailUrl}
            alt="Photo"
            loading="lazy"
            className="size-full object-cover"
            onError={() => setMissing(true)}
          />
        )}
      </span>
      <span className="wrap-anywhere text-soft underline underline-offset-2">
        {caption ?? photo.typeName}
      </span>
    </Link>
  );
}
