import type { RefObject } from 'react';
import type { Photo } from '@/lib/photos/photo';
import { usePhotoUrl } from '@/hooks/use-photo-url';
import { classNames } from '@/lib/class-names';

type ViewfinderProps = {
  videoRef: RefObject<HTMLVideoElement | null>;
  live: boolean;
  dropping: boolean;
  offered: Photo | null;
  /** What the model in this browser says; may be empty. */
  caption: string;
};

/** What the camera sees; without it the photo at hand, or how to take a good one. */
export function Viewfinder({ videoRef, live, dropping, offered, caption }: ViewfinderProps) {
  const offeredUrl = usePhotoUrl(offered?.blob ?? null);
  return (
    <div
      className={classNames(
        'relative aspect-4/3 overflow-clip rounded-md border bg-canvas transition-colors sm:aspect-video',
        dropping && 'border-accent bg-accent-wash',
      )}
    >
      <video
        ref={videoRef}
        muted
        playsInline
        aria-label="Camera picture"
        className={classNames('absolute size-full object-cover', !live && 'hidden')}
      />
      {!live && offeredUrl !== null && (
        <img
          src={offeredUrl}
          alt="The photo to scan"
          className="absolute size-full object-contain"
        />
      )}
      {!live && offeredUrl === null && <Guidance dropping={dropping} />}
      <Corners />
      {live && (
        <p
          aria-live="polite"
          className={classNames(
            'absolute inset-x-6 bottom-6 mx-auto w-fit rounded-md bg-canvas/85 px-3 py-1 text-center text-sm',
            caption === '' && 'sr-only',
          )}
        >
          {caption}
        </p>
      )}
    </div>
  );
}

type GuidanceProps = { dropping: boolean };

function Guidance({ dropping }: GuidanceProps) {
  return (
    <div className="grid min-h-full place-content-center justify-items-center gap-3 p-6 text-center">
      <svg
        viewBox="0 0 96 72"
        className="h-20 text-muted sm:h-24 @max-[15.5rem]:hidden"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        aria-hidden
      >
        <circle cx="44" cy="36" r="27" />
        <circle cx="44" cy="36" r="20" strokeOpacity=".45" />
        <circle cx="44" cy="36" r="9" />
        <circle cx="44" cy="36" r="3.4" />
        <g fill="currentColor" stroke="none">
          <circle cx="44" cy="22.500" r="1.600" />
          <circle cx="56.840" cy="31.830" r="1.600" />
          <circle cx="51.930" cy="46.920" r="1.600" />
          <circle cx="36.070" cy="46.920" r="1.600" />
          <circle cx="31.160" cy="31.830" r="1.600" />
        </g>
        <path
          d="M64 12c9 4 15 13 15 24s-6 20-15 24l-6-9c5-3 9-9 9-15s-4-12-9-15z"
          stroke="var(--color-accent)"
          fill="var(--color-accent-wash)"
          strokeLinejoin="round"
        />
      </svg>
      <p className="max-w-xs text-sm text-balance text-soft">
        {dropping
          ? 'Drop the photo to scan it.'
          : 'One part, close up, in even light. A clean background helps.'}
      </p>
    </div>
  );
}

function Corners() {
  return (
    <svg
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      className="pointer-events-none absolute inset-3 size-[calc(100%-1.5rem)] text-accent/80"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      aria-hidden
    >
      <path vectorEffect="non-scaling-stroke" d="M0 12V0h9M91 0h9v12M100 88v12h-9M9 100H0V88" />
    </svg>
  );
}
