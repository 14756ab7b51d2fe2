import { PictureFrame } from '@/components/picture-frame';

/** A screen with a play mark and no film. */
export function EmptyScreen() {
  return (
    <PictureFrame>
      <rect x="24" y="12" width="72" height="46" rx="5" />
      <path d="M44 70h32M60 58v12" />
      <path d="m54 27 15 8-15 8z" stroke="var(--color-accent)" />
    </PictureFrame>
  );
}

/** An open manual with blank lines. */
export function EmptyManual() {
  return (
    <PictureFrame>
      <path d="M60 20c-9-6-22-8-38-7v48c16-1 29 1 38 7 9-6 22-8 38-7V13c-16-1-29 1-38 7zM60 20v48" />
      <g stroke="var(--color-accent)" strokeDasharray="3 5">
        <path d="M32 27c6 0 12 1 18 3M32 38c6 0 12 1 18 3M70 30c6-2 12-3 18-3M70 41c6-2 12-3 18-3" />
      </g>
    </PictureFrame>
  );
}
