import { PictureFrame } from '@/components/picture-frame';

/** A shelf with one part and places for more. */
export function EmptyShelf() {
  return (
    <PictureFrame>
      <path d="M10 60h100M18 60v10M102 60v10" />
      <g stroke="var(--color-accent)">
        <circle cx="36" cy="42" r="17" />
        <circle cx="36" cy="42" r="6" />
        <path d="M36 29v2M36 53v2M23 42h2M47 42h2" />
      </g>
      <rect x="62" y="30" width="18" height="29" rx="2" strokeDasharray="4 5" />
      <rect x="86" y="38" width="18" height="21" rx="2" strokeDasharray="4 5" />
    </PictureFrame>
  );
}
