import type { ReactNode } from 'react';

type FrameProps = { children: ReactNode };

// All pictures share one hand: 2 px strokes in the text colour, one touch of the accent.
function Frame({ children }: FrameProps) {
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

/** A shelf with one part and places for more. */
export function EmptyShelf() {
  return (
    <Frame>
      <path d="M10 60h100M18 60v10M102 60v10" />
      <g stroke="var(--color-accent)">
        <circle cx="36" cy="42" r="17" />
        <circle cx="36" cy="42" r="6" />
        <path d="M36 29v2M36 53v2M23 42h2M47 42h2" />
      </g>
      <rect x="62" y="30" width="18" height="29" rx="2" strokeDasharray="4 5" />
      <rect x="86" y="38" width="18" height="21" rx="2" strokeDasharray="4 5" />
    </Frame>
  );
}

/** A screen with a play mark and no film. */
export function EmptyScreen() {
  return (
    <Frame>
      <rect x="24" y="12" width="72" height="46" rx="5" />
      <path d="M44 70h32M60 58v12" />
      <path d="m54 27 15 8-15 8z" stroke="var(--color-accent)" />
    </Frame>
  );
}

/** An open manual with blank lines. */
export function EmptyManual() {
  return (
    <Frame>
      <path d="M60 20c-9-6-22-8-38-7v48c16-1 29 1 38 7 9-6 22-8 38-7V13c-16-1-29 1-38 7zM60 20v48" />
      <g stroke="var(--color-accent)" strokeDasharray="3 5">
        <path d="M32 27c6 0 12 1 18 3M32 38c6 0 12 1 18 3M70 30c6-2 12-3 18-3M70 41c6-2 12-3 18-3" />
      </g>
    </Frame>
  );
}

/** A car in side view, drawn from its few lines. */
export function Garage() {
  return (
    <Frame>
      <path d="M14 74V32l46-22 46 22v42" strokeOpacity=".5" />
      <g stroke="var(--color-accent)">
        <path d="M30 62h-3v-9c0-3 2-5 5-5l7-1 8-10c1-1 3-2 5-2h17c2 0 4 1 6 3l8 9 6 1c3 1 5 3 5 6v8h-3" />
        <path d="M42 62h36M48 47h34M64 36v11" />
        <circle cx="36" cy="62" r="6" />
        <circle cx="84" cy="62" r="6" />
      </g>
    </Frame>
  );
}

/** A road that ends. */
export function DeadEnd() {
  return (
    <Frame>
      <path d="M30 74 52 34h16l22 40M60 44v6M60 58v7" strokeOpacity=".6" />
      <g stroke="var(--color-accent)">
        <rect x="38" y="18" width="44" height="16" rx="3" />
        <path d="m46 18-6 16M60 18l-6 16M74 18l-6 16M46 34v6M74 34v6" />
      </g>
    </Frame>
  );
}

const LEVELS = { easy: 1, beginner: 1, medium: 2, intermediate: 2, hard: 3, advanced: 3 } as const;

type DifficultyGaugeProps = { level: keyof typeof LEVELS };

/** Three rising bars, as many filled as the work is hard. The word stands beside it. */
export function DifficultyGauge({ level }: DifficultyGaugeProps) {
  return (
    <svg viewBox="0 0 16 12" className="h-3 w-4" aria-hidden>
      {[1, 2, 3].map((bar) => (
        <rect
          key={bar}
          x={(bar - 1) * 5.5}
          y={12 - bar * 4}
          width="4"
          height={bar * 4}
          rx="1"
          fill="currentColor"
          opacity={bar <= LEVELS[level] ? 1 : 0.3}
        />
      ))}
    </svg>
  );
}

/** An oil can with a drop. */
export function OilCan() {
  return (
    <Frame>
      <path d="M34 66V38c0-3 2-5 5-5h27c3 0 5 2 5 5v28c0 3-2 5-5 5H39c-3 0-5-2-5-5zM44 33v-6h17v6" />
      <path d="M71 46l22-14 5 6-27 20" />
      <path d="M101 46c3 4 4 6 4 8a4 4 0 0 1-8 0c0-2 1-4 4-8z" stroke="var(--color-accent)" />
    </Frame>
  );
}

/** An open spanner over a lined page. */
export function Logbook() {
  return (
    <Frame>
      <path d="M34 12h44c3 0 5 2 5 5v50c0 3-2 5-5 5H34zM34 12v60M44 28h26M44 40h14M44 52h10" />
      <path
        d="M98 34a10 10 0 0 1-13 9L69 59a5 5 0 0 1-7-7l16-16a10 10 0 0 1 12-13l-6 7 2 5 5 1z"
        stroke="var(--color-accent)"
        fill="var(--color-surface)"
      />
    </Frame>
  );
}
