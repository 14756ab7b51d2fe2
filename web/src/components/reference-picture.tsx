import { ImageOff } from 'lucide-react';
import { useState } from 'react';

type ReferencePictureProps = { url: string; alt: string };

/** A small picture from the server, or a sign in its place where the server keeps none. */
export function ReferencePicture({ url, alt }: ReferencePictureProps) {
  const [missing, setMissing] = useState(false);
  if (missing) {
    return (
      <span
        role="img"
        aria-label={`${alt}, no picture kept`}
        className="grid size-full place-items-center text-muted"
      >
        <ImageOff className="size-5" aria-hidden />
      </span>
    );
  }
  return (
    <img
      src={url}
      alt={alt}
      loading="lazy"
      className="size-full object-cover"
      onError={() => setMissing(true)}
    />
  );
}
