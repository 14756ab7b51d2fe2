import {
  cellsAtEdge,
  copyOf,
  countOf,
  differing,
  edgeOf,
  lightOf,
  lookAlike,
  looksOf,
  patchesOf,
  regionOf,
  shareOf,
  type Grid,
  type Patch,
  type Region,
} from '@/features/bench/watching/grid';

/** What the camera sees at this moment. */
export type Phase =
  /** The empty table is being learnt. */
  | 'learning'
  | 'empty'
  | 'moving'
  /** A part lies still and was photographed; it has to lie still a little longer. */
  | 'settling'
  /** What is new is still, but goes over the edge of the picture: a hand, or a part that is too large. */
  | 'over-edge'
  /** Hardly anything is as it was: the camera was moved, or all of the light changed. */
  | 'view-changed'
  /** All parts on the table were scanned. */
  | 'lying';

type WatchEvent =
  /** The part in this region is to be photographed now. */
  | { type: 'photograph'; region: Region }
  /** It lay still until now: the photograph counts. */
  | { type: 'keep' }
  /** It moved: the photograph is to be thrown away. */
  | { type: 'spoiled' }
  /** The table is empty again. */
  | { type: 'removed' };

export type Look = { phase: Phase; event: WatchEvent | null };

/** Between two frames, in ms. The counts of frames below are made for it; more time makes the bench slower only. */
export const FRAME_MS = 120;
/** Still frames after which the empty table is learnt. */
const LEARN_FRAMES = 8;
/** Still frames after which a part is photographed, and others for which it then has to lie still. */
const STILL_FRAMES = 4;
const CONFIRM_FRAMES = 2;
/** Grey levels by which two frames of one still table differ at most: noise of a cheap camera, averaged in a cell. */
const NOISE_LEVELS = 12;
/** Grey levels by which a part differs at least from the table under it. */
const PART_LEVELS = 18;
/** Cells of the smallest part, such as a spark plug on a table of a metre; fewer are noise. */
const LEAST_CELLS = 12;
/** From this share of its cells on, a patch is another one than before. */
const CHANGED_SHARE = 0.25;
/** Cells at the edge of the picture from which on something goes over it. */
const EDGE_CELLS = 3;
/** From this share of the picture on, no part is new but the view. */
const WHOLE_VIEW = 0.7;
/** A patch whose edge the table shows so much more clearly than the frame is a place that something was taken from. */
const GHOST_EDGE = 0.5;
/** How quickly the learnt table follows what changes slowly, such as the daylight; share a frame. */
const FOLLOW = 0.05;

/**
 * Says when a part was laid down and lies still, each part once.
 *
 * It compares the frame with the empty table, and with the table as it was accounted for last. What differs from both
 * is new. It is the same part pushed aside if something that looks like it went at the same time. A part that was
 * scanned is so left alone until it is taken away or exchanged, however often a hand passes over it. Two parts that
 * look the same and are exchanged without the table ever being seen empty count as one; the person can scan by hand.
 */
export class Watcher {
  #phase: Phase = 'learning';
  #before: Grid | null = null;
  #stillFor = 0;
  /** The empty table, as bright as it is now. */
  #table: Grid | null = null;
  /** The table with the parts that were scanned. */
  #known: Grid | null = null;
  #isOccupied = false;
  /** A photograph was taken that does not count yet. */
  #isTaken = false;

  /** Takes the next frame. All frames have one size; another one begins anew. */
  look(frame: Grid): Look {
    const event = this.#eventOf(frame);
    return { phase: this.#phase, event };
  }

  /** The region to photograph when a person asks for it: the parts there, the new ones first; then they count as scanned. */
  scanNow(frame: Grid): Region {
    this.#isTaken = false;
    if (this.#table === null || this.#known === null || !isAlike(frame, this.#table)) {
      return regionOf([], frame);
    }
    const parts = this.#partsIn(frame, this.#table);
    const changed = differing(frame, this.#known, PART_LEVELS);
    const fresh = parts.filter((patch) => shareOf(patch, changed) >= CHANGED_SHARE);
    this.#account(frame, parts);
    return regionOf((fresh.length > 0 ? fresh : parts).flat(), frame);
  }

  /** Forgets the table, to learn it from the next still frames. */
  learn(): void {
    this.#phase = 'learning';
    this.#table = null;
    this.#known = null;
    this.#stillFor = 0;
    this.#isOccupied = false;
    this.#isTaken = false;
  }

  #eventOf(frame: Grid): WatchEvent | null {
    const before = this.#before;
    this.#before = copyOf(frame);
    if (before !== null && !isAlike(before, frame)) this.learn();
    const isMoving =
      before === null ||
      !isAlike(before, frame) ||
      countOf(differing(frame, before, NOISE_LEVELS)) >= LEAST_CELLS;
    this.#stillFor = isMoving ? 0 : this.#stillFor + 1;
    if (this.#table === null || this.#known === null) {
      if (this.#stillFor >= LEARN_FRAMES) {
        this.#table = copyOf(frame);
        this.#known = copyOf(frame);
        this.#phase = 'empty';
      }
      return null;
    }
    if (isMoving) return this.#moved(frame, this.#table);
    if (this.#stillFor < STILL_FRAMES) return null;
    if (this.#isTaken) {
      if (this.#stillFor < STILL_FRAMES + CONFIRM_FRAMES) return null;
      this.#isTaken = false;
      this.#account(frame, this.#partsIn(frame, this.#table));
      return { type: 'keep' };
    }
    return this.#rest(frame, this.#table, this.#known);
  }

  #moved(frame: Grid, table: Grid): WatchEvent | null {
    this.#phase = 'moving';
    if (this.#isTaken) {
      this.#isTaken = false;
      return { type: 'spoiled' };
    }
    // An empty table is seen between two parts even where nobody leaves it still.
    if (this.#isOccupied && this.#partsIn(frame, table).length === 0) {
      this.#account(frame, []);
      this.#phase = 'moving';
      return { type: 'removed' };
    }
    return null;
  }

  #rest(frame: Grid, table: Grid, known: Grid): WatchEvent | null {
    const parts = this.#partsIn(frame, table);
    if (parts.flat().length >= WHOLE_VIEW * frame.cells.length) {
      this.#phase = 'view-changed';
      return null;
    }
    const changed = differing(frame, known, PART_LEVELS);
    const isChanged = (patch: Patch) => shareOf(patch, changed) >= CHANGED_SHARE;
    const fresh = parts.filter(isChanged);
    if (fresh.some((patch) => cellsAtEdge(patch, frame) >= EDGE_CELLS)) {
      this.#phase = 'over-edge';
      return null;
    }
    const ghosts = fresh.filter(
      (patch) => edgeOf(patch, frame) < GHOST_EDGE * edgeOf(patch, table),
    );
    if (ghosts.length > 0) {
      for (const at of ghosts.flat()) table.cells[at] = known.cells[at] = frame.cells[at] ?? 0;
      return null;
    }
    const gone = this.#partsIn(known, table).filter(isChanged);
    const isSame = lookAlike(looksOf(fresh.flat(), frame), looksOf(gone.flat(), known));
    if (fresh.length === 0 || isSame) {
      const wasOccupied = this.#isOccupied;
      if (gone.length > 0) this.#account(frame, parts);
      this.#isOccupied = parts.length > 0;
      this.#phase = this.#isOccupied ? 'lying' : 'empty';
      this.#follow(frame, table, known);
      return wasOccupied && !this.#isOccupied ? { type: 'removed' } : null;
    }
    this.#isTaken = true;
    this.#phase = 'settling';
    // A part that was laid against another is one patch with it: only what is new of that is meant.
    const cells = fresh.flat();
    const region = gone.length > 0 ? cells : cells.filter((at) => changed[at] === 1);
    return { type: 'photograph', region: regionOf(region, frame) };
  }

  #partsIn(frame: Grid, table: Grid): Patch[] {
    return patchesOf(differing(frame, table, PART_LEVELS), frame, LEAST_CELLS);
  }

  /** All that lies there now was scanned. */
  #account(frame: Grid, parts: Patch[]): void {
    this.#known = copyOf(frame);
    this.#isOccupied = parts.length > 0;
    this.#phase = this.#isOccupied ? 'lying' : 'empty';
  }

  /** Brings the table to the light of the frame, and lets it follow slow changes where nothing lies. */
  #follow(frame: Grid, table: Grid, known: Grid): void {
    const light = lightOf(frame, table);
    const covered = new Set(this.#partsIn(frame, table).flat());
    const lightOfKnown = lightOf(frame, known);
    for (const [at, level] of frame.cells.entries()) {
      const bare = (table.cells[at] ?? 0) * light;
      table.cells[at] = covered.has(at) ? bare : bare + FOLLOW * (level - bare);
      const last = (known.cells[at] ?? 0) * lightOfKnown;
      known.cells[at] = last + FOLLOW * (level - last);
    }
  }
}

function isAlike(one: Grid, other: Grid): boolean {
  return one.width === other.width && one.height === other.height;
}
