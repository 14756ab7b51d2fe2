/**
 * A picture of the table, as small as the watcher needs it: grey levels 0 to 255, row by row. A cell stands for about
 * a centimetre of a table of one metre.
 */
export type Grid = { width: number; height: number; cells: Float32Array };

/** Part of a picture, as shares of its width and height. */
export type Region = { left: number; top: number; right: number; bottom: number };

/** Cells that touch each other, by their place in the grid. */
export type Patch = readonly number[];

/** Added to both sides of a ratio, so that black cells, which are all noise, do not decide it. */
const BLACK = 16;

function levelAt({ cells }: Grid, at: number): number {
  return cells[at] ?? 0;
}

export function copyOf({ width, height, cells }: Grid): Grid {
  return { width, height, cells: cells.slice() };
}

/** Steps of a ratio of brightness, each 1/256: less than a grey level. */
const LIGHT_STEPS = 256;
const LEAST_LIGHT = 0.5;
const MOST_LIGHT = 2;

/**
 * How much brighter `grid` is than `reference` as a whole, 0.5 to 2: the median over all cells, which a part that
 * covers less than half of the picture does not move. Lamps, clouds and the camera's own exposure do.
 */
export function lightOf(grid: Grid, reference: Grid): number {
  // Counted, not sorted: this runs several times a frame.
  const counts = new Uint32Array((MOST_LIGHT - LEAST_LIGHT) * LIGHT_STEPS + 1);
  for (let at = 0; at < grid.cells.length; at += 1) {
    const ratio = (levelAt(grid, at) + BLACK) / (levelAt(reference, at) + BLACK);
    const step = Math.round(
      (Math.min(MOST_LIGHT, Math.max(LEAST_LIGHT, ratio)) - LEAST_LIGHT) * LIGHT_STEPS,
    );
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let left = grid.cells.length / 2;
  const median = counts.findIndex((count) => (left -= count) <= 0);
  return LEAST_LIGHT + median / LIGHT_STEPS;
}

/** 1 for each cell that differs from `reference` by more than `levels`, once both are equally bright; else 0. */
export function differing(grid: Grid, reference: Grid, levels: number): Uint8Array {
  const light = lightOf(grid, reference);
  const mask = new Uint8Array(grid.cells.length);
  for (let at = 0; at < mask.length; at += 1) {
    const expected = (levelAt(reference, at) + BLACK) * light - BLACK;
    if (Math.abs(levelAt(grid, at) - expected) > levels) mask[at] = 1;
  }
  return mask;
}

export function countOf(mask: Uint8Array): number {
  return mask.reduce((sum, cell) => sum + cell, 0);
}

/** The patches of at least `least` cells, where cells that meet at a corner touch. */
export function patchesOf(mask: Uint8Array, { width, height }: Grid, least: number): Patch[] {
  const left = mask.slice();
  const patches: Patch[] = [];
  for (let start = 0; start < left.length; start += 1) {
    if (left[start] !== 1) continue;
    left[start] = 0;
    const patch = [start];
    // It grows while it is walked: each cell that is found is looked around in turn.
    for (const at of patch) {
      const x = at % width;
      const y = (at - x) / width;
      for (let ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny += 1) {
        for (let nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx += 1) {
          const next = ny * width + nx;
          if (left[next] !== 1) continue;
          left[next] = 0;
          patch.push(next);
        }
      }
    }
    if (patch.length >= least) patches.push(patch);
  }
  return patches;
}

/** How many of a patch's cells lie at the edge of the picture. */
export function cellsAtEdge(patch: Patch, { width, height }: Grid): number {
  return patch.filter((at) => {
    const x = at % width;
    const y = (at - x) / width;
    return x === 0 || y === 0 || x === width - 1 || y === height - 1;
  }).length;
}

/** Which share of a patch is set in `mask`. */
export function shareOf(patch: Patch, mask: Uint8Array): number {
  return patch.filter((at) => mask[at] === 1).length / patch.length;
}

/** The rectangle around cells; all of the picture for none. */
export function regionOf(cells: Patch, { width, height }: Grid): Region {
  if (cells.length === 0) return { left: 0, top: 0, right: 1, bottom: 1 };
  const xs = cells.map((at) => at % width);
  const ys = cells.map((at) => Math.floor(at / width));
  const least = (values: number[]) => values.reduce((one, other) => Math.min(one, other));
  const most = (values: number[]) => values.reduce((one, other) => Math.max(one, other));
  return {
    left: least(xs) / width,
    top: least(ys) / height,
    right: (most(xs) + 1) / width,
    bottom: (most(ys) + 1) / height,
  };
}

/** Cells outside of a patch at which its edge is measured, counted from it: nearer ones are blurred. */
const BESIDE = 2;

/** The mean step in grey levels across the edge of a patch; 0 for one that fills the picture. */
export function edgeOf(patch: Patch, grid: Grid): number {
  const { width, height } = grid;
  const inside = new Set(patch);
  let sum = 0;
  let steps = 0;
  for (const at of patch) {
    const x = at % width;
    const y = (at - x) / width;
    for (const [dx, dy] of SIDES) {
      const [farX, farY] = [x + dx * BESIDE, y + dy * BESIDE];
      if (farX < 0 || farY < 0 || farX >= width || farY >= height) continue;
      const far = farY * width + farX;
      if (inside.has(at + dy * width + dx) || inside.has(far)) continue;
      sum += Math.abs(levelAt(grid, at) - levelAt(grid, far));
      steps += 1;
    }
  }
  return steps === 0 ? 0 : sum / steps;
}

const SIDES = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
] as const;

const BINS = 8;

/** How the cells of a part look, wherever it lies and however it is turned. */
type Looks = {
  area: number;
  /** Shares of the cells in each of eight ranges of grey, dark to bright. */
  greys: number[];
  /** Standard deviations of the cells' places along the longer and the shorter axis, in cells. */
  axes: [number, number];
};

export function looksOf(cells: Patch, grid: Grid): Looks {
  const n = Math.max(1, cells.length);
  const greys = Array.from({ length: BINS }, () => 0);
  let [sx, sy, sxx, syy, sxy] = [0, 0, 0, 0, 0];
  for (const at of cells) {
    const bin = Math.min(BINS - 1, Math.floor((levelAt(grid, at) / 256) * BINS));
    greys[bin] = (greys[bin] ?? 0) + 1 / n;
    const x = at % grid.width;
    const y = Math.floor(at / grid.width);
    sx += x;
    sy += y;
    sxx += x * x;
    syy += y * y;
    sxy += x * y;
  }
  const varX = sxx / n - (sx / n) ** 2;
  const varY = syy / n - (sy / n) ** 2;
  const cov = sxy / n - (sx * sy) / n ** 2;
  // The eigenvalues of the covariance of the places.
  const middle = (varX + varY) / 2;
  const spread = Math.sqrt(((varX - varY) / 2) ** 2 + cov ** 2);
  return {
    area: cells.length,
    greys,
    axes: [Math.sqrt(middle + spread), Math.sqrt(Math.max(0, middle - spread))],
  };
}

/** Whether two looks may be one part that was pushed or turned on the table. */
export function lookAlike(one: Looks, other: Looks): boolean {
  const common = one.greys.reduce(
    (sum, share, bin) => sum + Math.min(share, other.greys[bin] ?? 0),
    0,
  );
  return (
    ratioOf(one.area, other.area) >= 0.75 &&
    common >= 0.7 &&
    ratioOf(one.axes[0] + 1, other.axes[0] + 1) >= 0.8 &&
    ratioOf(one.axes[1] + 1, other.axes[1] + 1) >= 0.8
  );
}

/** The smaller of two by the larger: 0 to 1. */
function ratioOf(one: number, other: number): number {
  return Math.min(one, other) / Math.max(one, other, Number.EPSILON);
}
