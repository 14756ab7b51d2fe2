import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';

export type PhotoView = Schemas['PhotoView'];

/** What each view is called, and how it is taken. */
export const PHOTO_VIEWS: Record<PhotoView, { name: string; how: string }> = {
  whole: { name: 'The whole part', how: 'Let it fill the picture, on a plain background.' },
  side: {
    name: 'From the side',
    how: 'Hold the camera level with it, with the light from the side.',
  },
  face: { name: 'Straight at its face', how: 'Hold the camera square to its broadest side.' },
  'both-sides': { name: 'Both sides', how: 'Take one photo, turn it over, and take another.' },
  marking: { name: 'Its number', how: 'Come close to numbers and labels until they are sharp.' },
  connections: {
    name: 'Its connections',
    how: 'Come close to ports, plugs, threads or bolt holes.',
  },
  scale: { name: 'Its size', how: 'Lay a coin or a ruler beside it.' },
};

/** A part that stands for any: a body with a flange, a port and a plug. */
function AnyPart() {
  return (
    <g className="fill-raised">
      <path d="M44 34h30q8 0 8 8v18q0 8 -8 8H44q-8 0 -8 -8V42q0 -8 8 -8z" />
      <circle cx="59" cy="51" r="11" />
      <circle cx="59" cy="51" r="4" />
      <path d="M82 44h8v14h-8zM28 46h8v10h-8z" />
    </g>
  );
}

function Camera({ x, y, turn = 0 }: { x: number; y: number; turn?: number }) {
  return (
    <g transform={`translate(${x} ${y}) rotate(${turn})`} className="fill-surface stroke-soft">
      <rect x="-11" y="-7" width="22" height="15" rx="3" />
      <path d="M-4 -7l2 -4h4l2 4" />
      <circle cx="0" cy="0.5" r="4" />
    </g>
  );
}

const FRAME = (
  <path d="M22 32V24h10M108 24h10v8M118 72v8h-10M32 80H22v-8" className="stroke-accent" />
);

const DRAWINGS: Record<PhotoView, ReactNode> = {
  whole: (
    <>
      {FRAME}
      <g transform="translate(-7.5 -11.5) scale(1.24)">
        <AnyPart />
      </g>
    </>
  ),
  side: (
    <>
      <path d="M24 78h92" className="stroke-control" />
      <g className="fill-raised">
        <path d="M30 58h36v20H30zM36 48h24v10H36zM44 42h8v6h-8z" />
      </g>
      <Camera x={104} y={62} turn={-90} />
      <path d="M90 56L70 48M90 68L70 76" strokeDasharray="3 3" className="stroke-accent" />
      <circle cx="24" cy="26" r="6" className="stroke-warn" />
      <path d="M24 15v-3M24 37v3M13 26h-3M35 26h3M32 34l2 2" className="stroke-warn" />
    </>
  ),
  face: (
    <>
      <g className="fill-raised">
        <path d="M48 28h12v48H48zM60 40h8v24h-8zM38 46h10v12H38z" />
      </g>
      <Camera x={116} y={52} turn={-90} />
      <path d="M102 46L70 28M102 58L70 76" strokeDasharray="3 3" className="stroke-accent" />
      <path d="M98 52H80M85 48l-5 4 5 4" className="stroke-accent" />
    </>
  ),
  'both-sides': (
    <>
      <g className="fill-raised">
        <circle cx="38" cy="54" r="23" />
        <circle cx="38" cy="54" r="9" />
        <path d="M38 38v.1M52 46v.1M52 62v.1M38 70v.1M24 62v.1M24 46v.1" strokeWidth="3.5" />
        <circle cx="102" cy="54" r="23" />
        <circle cx="102" cy="54" r="15" />
      </g>
      <path d="M56 22Q70 12 84 22M84 22l-1 -6M84 22l-6 0" className="stroke-accent" />
      <path d="M84 88Q70 98 56 88M56 88l1 6M56 88l6 0" className="stroke-accent" />
    </>
  ),
  marking: (
    <>
      <path d="M16 34h82q6 0 6 6v34q0 6 -6 6H16z" className="fill-raised" />
      <path d="M26 46h16M26 56h10M26 68h22" className="stroke-control" />
      <circle cx="80" cy="54" r="27" className="fill-canvas stroke-accent" />
      <path d="M100 74l16 16" strokeWidth="4" className="stroke-accent" />
      <text
        x="80"
        y="58.5"
        textAnchor="middle"
        fontSize="13"
        fontWeight="600"
        stroke="none"
        className="fill-ink"
      >
        4E0-61
      </text>
    </>
  ),
  connections: (
    <>
      <path d="M10 34h40v38H10zM50 44h12v18H50z" className="fill-raised" />
      <circle cx="86" cy="54" r="29" className="fill-canvas stroke-accent" />
      <path d="M52 42L70 30M52 64L70 78" strokeDasharray="3 3" className="stroke-accent" />
      <path d="M72 40h20q4 0 4 4v20q0 4 -4 4H72zM96 48h8M96 60h8M78 46v16M84 46v16M90 46v16" />
    </>
  ),
  scale: (
    <>
      <g transform="translate(-12 -4)">
        <AnyPart />
      </g>
      <g className="stroke-accent">
        <circle cx="106" cy="53" r="11" />
        <circle cx="106" cy="53" r="7.5" strokeDasharray="1.5 2.5" />
        <path d="M14 78h104v12H14zM24 78v5M34 78v7M44 78v5M54 78v7M64 78v5M74 78v7M84 78v5M94 78v7M104 78v5" />
      </g>
    </>
  ),
};

type PhotoHintProps = {
  view: PhotoView;
  /** Without the words, where they stand beside it. */
  bare?: boolean;
};

/** How to take a photograph, drawn. */
export function PhotoHint({ view, bare = false }: PhotoHintProps) {
  const { name, how } = PHOTO_VIEWS[view];
  return (
    <figure className="grid content-start gap-1.5">
      <svg
        viewBox="0 0 140 104"
        role="img"
        aria-label={`How to photograph it: ${name.toLowerCase()}`}
        className="h-auto w-full rounded-md border bg-canvas/50 stroke-soft"
        fill="none"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        {DRAWINGS[view]}
      </svg>
      {!bare && (
        <figcaption className="text-xs text-soft">
          <span className="block text-sm font-medium text-ink">{name}</span>
          {how}
        </figcaption>
      )}
    </figure>
  );
}

type PhotoHintsProps = { views: readonly PhotoView[] };

/** Several of them, side by side. */
export function PhotoHints({ views }: PhotoHintsProps) {
  return (
    <ul
      aria-label="How to photograph a part"
      className="grid gap-3 min-[18rem]:grid-cols-2 sm:grid-cols-3"
    >
      {views.map((view) => (
        <li key={view}>
          <PhotoHint view={view} />
        </li>
      ))}
    </ul>
  );
}
