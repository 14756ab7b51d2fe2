import type { ReactNode } from 'react';

type PictureFrameProps = { children: ReactNode };

/** All pictures share one hand: 2 px strokes in the text colour, one touch of the accent. */
export function PictureFrame({ children }: PictureFrameProps) {
  return (
    <svg
      viewBox="0 0 120 80"
      className="h-24 w-auto"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      {children}
    </svg>
  );
}
