import { PictureFrame } from '@/components/picture-frame';

/** A car in side view, drawn from its few lines. */
export function Garage() {
  return (
    <PictureFrame>
      <path d="M14 74V32l46-22 46 22v42" strokeOpacity=".5" />
      <g stroke="var(--color-accent)">
        <path d="M30 62h-3v-9c0-3 2-5 5-5l7-1 8-10c1-1 3-2 5-2h17c2 0 4 1 6 3l8 9 6 1c3 1 5 3 5 6v8h-3" />
        <path d="M42 62h36M48 47h34M64 36v11" />
        <circle cx="36" cy="62" r="6" />
        <circle cx="84" cy="62" r="6" />
      </g>
    </PictureFrame>
  );
}

/** A road that ends. */
export function DeadEnd() {
  return (
    <PictureFrame>
      <path d="M30 74 52 34h16l22 40M60 44v6M60 58v7" strokeOpacity=".6" />
      <g stroke="var(--color-accent)">
        <rect x="38" y="18" width="44" height="16" rx="3" />
        <path d="m46 18-6 16M60 18l-6 16M74 18l-6 16M46 34v6M74 34v6" />
      </g>
    </PictureFrame>
  );
}

/** An oil can with a drop. */
export function OilCan() {
  return (
    <PictureFrame>
      <path d="M34 66V38c0-3 2-5 5-5h27c3 0 5 2 5 5v28c0 3-2 5-5 5H39c-3 0-5-2-5-5zM44 33v-6h17v6" />
      <path d="M71 46l22-14 5 6-27 20" />
      <path d="M101 46c3 4 4 6 4 8a4 4 0 0 1-8 0c0-2 1-4 4-8z" stroke="var(--color-accent)" />
    </PictureFrame>
  );
}

/** An open spanner over a lined page. */
export function Logbook() {
  return (
    <PictureFrame>
      <path d="M34 12h44c3 0 5 2 5 5v50c0 3-2 5-5 5H34zM34 12v60M44 28h26M44 40h14M44 52h10" />
      <path
        d="M98 34a10 10 0 0 1-13 9L69 59a5 5 0 0 1-7-7l16-16a10 10 0 0 1 12-13l-6 7 2 5 5 1z"
        stroke="var(--color-accent)"
        fill="var(--color-surface)"
      />
    </PictureFrame>
  );
}
