/**
 * The solids of the exploded drawings. Their axis lies along the page, and their left end shows. They take stroke and
 * fill from the piece that they belong to; what is drawn later covers what was drawn before.
 */

/** How much of a circle's width shows when it is seen from the side. */
const TILT = 0.36;

type RoundProps = { x: number; y: number; r: number };

/** The visible end of something round, without depth. */
export function Ellipse({ x, y, r }: RoundProps) {
  return <ellipse cx={x} cy={y} rx={r * TILT} ry={r} />;
}

type RingsProps = { x: number; y: number; r: readonly number[] };

/** Circles around one point, drawn in the order of their radii. */
export function Rings({ x, y, r }: RingsProps) {
  return r.map((radius) => <circle key={radius} cx={x} cy={y} r={radius} />);
}

type CylinderProps = RoundProps & {
  /** How long it is along its axis. */
  length: number;
  /** The radius of a hole through it. */
  hole?: number;
};

/** A disc, a ring or a rod: `x` and `y` are the middle of its left end. */
export function Cylinder({ x, y, r, length, hole }: CylinderProps) {
  const rx = r * TILT;
  return (
    <>
      <path
        d={`M${x} ${y - r}H${x + length}A${rx} ${r} 0 0 1 ${x + length} ${y + r}H${x}A${rx} ${r} 0 0 1 ${x} ${y - r}Z`}
      />
      <Ellipse x={x} y={y} r={r} />
      {hole !== undefined && (
        <ellipse cx={x} cy={y} rx={hole * TILT} ry={hole} className="fill-canvas" />
      )}
    </>
  );
}

type HolesProps = RoundProps & {
  count: number;
  /** The radius of each. */
  size?: number;
};

/** A circle of holes or studs in an end. */
export function Holes({ x, y, r, count, size = 2.2 }: HolesProps) {
  return Array.from({ length: count }, (_, index) => {
    const angle = (2 * Math.PI * (index + 0.5)) / count;
    return (
      <ellipse
        key={index}
        cx={round(x + r * TILT * Math.cos(angle))}
        cy={round(y + r * Math.sin(angle))}
        rx={round(size * 0.6)}
        ry={size}
      />
    );
  });
}

type TeethProps = RoundProps & { length: number };

/** The teeth around a gear: short lines across its edge. */
export function Teeth({ x, y, r, length }: TeethProps) {
  const lines = [-0.85, -0.6, -0.3, 0, 0.3, 0.6, 0.85].map((share) => {
    const rx = r * TILT * Math.sqrt(1 - share * share);
    return `M${round(x + rx)} ${round(y + r * share)}h${length}`;
  });
  return <path d={lines.join('')} />;
}

type BlockProps = { x: number; y: number; width: number; height: number; depth?: number };

/** A box; `x` and `y` are the upper left corner of its front. */
export function Block({ x, y, width, height, depth = 8 }: BlockProps) {
  const up = round(depth * 0.6);
  return (
    <>
      <path d={`M${x} ${y}l${depth} ${-up}h${width}l${-depth} ${up}Z`} />
      <path d={`M${x + width} ${y}l${depth} ${-up}v${height}l${-depth} ${up}Z`} />
      <rect x={x} y={y} width={width} height={height} />
    </>
  );
}

type SpringProps = { x: number; top: number; bottom: number; r: number; turns: number };

/** An upright coil around the line at `x`. */
export function Spring({ x, top, bottom, r, turns }: SpringProps) {
  const pitch = (bottom - top) / turns;
  const coils = Array.from({ length: turns }, (_, turn) => {
    const y = round(top + pitch * turn);
    return `M${x - r} ${round(y + pitch / 2)}C${x - r} ${round(y - 2)} ${x + r} ${round(y - 2)} ${x + r} ${round(y + pitch * 0.55)}C${x + r} ${round(y + pitch + 2)} ${x - r} ${round(y + pitch * 0.9)} ${x - r} ${round(y + pitch * 1.5)}`;
  });
  return <Tube path={coils.join('')} width={3} />;
}

type TubeProps = { path: string; width: number };

/** A hose, a pipe or a round bar along a path: an outline with the fill of its piece between. */
export function Tube({ path, width }: TubeProps) {
  return (
    <>
      <path d={path} fill="none" strokeWidth={width + 3} strokeLinecap="butt" />
      <path d={path} fill="none" strokeWidth={width} strokeLinecap="butt" stroke="var(--piece)" />
    </>
  );
}

/** What keeps the path data short. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
