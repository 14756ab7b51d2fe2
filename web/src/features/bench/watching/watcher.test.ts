import { describe, expect, it } from 'vitest';
import type { Grid } from '@/features/bench/watching/grid';
import { Watcher, type Look } from '@/features/bench/watching/watcher';

const WIDTH = 96;
const HEIGHT = 72;

type Thing = { x: number; y: number; w: number; h: number; grey: number; stripes?: number };

/** An arm that comes in from the right edge. */
const HAND: Thing = { x: 50, y: 30, w: 60, h: 14, grey: 150 };
const ROTOR: Thing = { x: 36, y: 24, w: 24, h: 24, grey: 120, stripes: 30 };
const PLUG: Thing = { x: 40, y: 30, w: 12, h: 4, grey: 90 };
const BELT: Thing = { x: 30, y: 20, w: 40, h: 8, grey: 40 };

/** A bench with a camera of some noise, whose frames a watcher sees one by one. */
class Bench {
  readonly watcher = new Watcher();
  #seed = 1;
  last: Look = { phase: 'learning', event: null };
  /** All that happened, in order. */
  readonly events: string[] = [];

  frame(things: Thing[], light = 1): Grid {
    const cells = new Float32Array(WIDTH * HEIGHT);
    for (let y = 0; y < HEIGHT; y += 1) {
      for (let x = 0; x < WIDTH; x += 1) {
        let level = 200 - 30 * (x / WIDTH);
        for (const { x: left, y: top, w, h, grey, stripes = 0 } of things) {
          if (x < left || y < top || x >= left + w || y >= top + h) continue;
          level = grey + (Math.floor((x - left) / 4) % 2) * stripes;
        }
        this.#seed = (this.#seed * 1_103_515_245 + 12_345) % 2 ** 31;
        cells[y * WIDTH + x] = level * light + 4 * (this.#seed / 2 ** 31 - 0.5);
      }
    }
    return { width: WIDTH, height: HEIGHT, cells };
  }

  show(things: Thing[], frames: number, light = 1): this {
    for (let n = 0; n < frames; n += 1) {
      this.last = this.watcher.look(this.frame(things, light));
      if (this.last.event !== null) this.events.push(this.last.event.type);
    }
    return this;
  }

  /** A hand comes in and goes, with `under` on the table meanwhile. */
  hand(under: Thing[]): this {
    for (const reach of [30, 15, 0, 15, 30])
      this.show([...under, { ...HAND, x: HAND.x + reach }], 1);
    return this;
  }

  /** A hand lays `thing` down beside what lies there already. */
  lay(thing: Thing, beside: Thing[] = []): this {
    for (const reach of [40, 20, 0]) {
      this.show([...beside, { ...thing, x: thing.x + reach }, { ...HAND, x: HAND.x + reach }], 1);
    }
    for (const reach of [15, 30]) this.show([...beside, thing, { ...HAND, x: HAND.x + reach }], 1);
    return this.show([...beside, thing], 10);
  }

  take(rest: Thing[] = []): this {
    return this.hand(rest).show(rest, 8);
  }
}

const opened = () => new Bench().show([], 12);
const scans = (bench: Bench) => bench.events.filter((event) => event === 'keep').length;

it('learns the empty table before it looks for parts', () => {
  const bench = new Bench().show([], 5);
  expect(bench.last.phase).toBe('learning');
  expect(bench.show([], 8).last.phase).toBe('empty');
  expect(bench.show([], 100).events).toEqual([]);
});

it('photographs a part once it lies still, and again only after it was taken away', () => {
  const bench = opened().lay(ROTOR);
  expect(bench.events).toEqual(['photograph', 'keep']);
  expect(bench.last.phase).toBe('lying');
  bench.show([ROTOR], 200);
  expect(scans(bench)).toBe(1);
  bench.take().lay(ROTOR);
  expect(scans(bench)).toBe(2);
});

it('scans ten parts laid down one after the other ten times', () => {
  const bench = opened();
  for (let n = 0; n < 10; n += 1) {
    bench.lay({ x: 20 + 3 * n, y: 20, w: 8 + 3 * n, h: 30 - 2 * n, grey: 40 + 10 * n }).take();
  }
  expect(scans(bench)).toBe(10);
});

it('names the part of the picture that the part lies in', () => {
  const bench = opened();
  bench.show([ROTOR], 1);
  for (let n = 0; n < 10 && bench.last.event?.type !== 'photograph'; n += 1) bench.show([ROTOR], 1);
  const { event } = bench.last;
  if (event?.type !== 'photograph') throw new Error('no photograph');
  expect(event.region.left).toBeCloseTo(ROTOR.x / WIDTH, 1);
  expect(event.region.right).toBeCloseTo((ROTOR.x + ROTOR.w) / WIDTH, 1);
  expect(event.region.top).toBeCloseTo(ROTOR.y / HEIGHT, 1);
});

it.each([
  ['a small part', PLUG],
  ['a long one', BELT],
])('sees %s', (_, part) => {
  expect(scans(opened().lay(part))).toBe(1);
});

describe('a hand', () => {
  it('is no part while it moves', () => {
    expect(opened().hand([]).hand([]).show([], 10).events).toEqual([]);
  });

  it('is no part while it rests in the picture', () => {
    const bench = opened().show([HAND], 60);
    expect(bench.events).toEqual([]);
    expect(bench.last.phase).toBe('over-edge');
    expect(bench.show([], 10).last.phase).toBe('empty');
  });

  it('that holds a part still is waited for', () => {
    const bench = opened().show([ROTOR, HAND], 40);
    expect(scans(bench)).toBe(0);
    bench.show([ROTOR], 10);
    expect(scans(bench)).toBe(1);
  });

  it('that passes over a scanned part does not make it new', () => {
    const bench = opened()
      .lay(ROTOR)
      .hand([ROTOR])
      .show([ROTOR], 20)
      .hand([ROTOR])
      .show([ROTOR], 20);
    expect(scans(bench)).toBe(1);
    expect(bench.last.phase).toBe('lying');
  });
});

it('throws the photograph of a part away that is moved at once, and takes another', () => {
  const bench = opened().show([ROTOR], 6);
  expect(bench.events).toEqual(['photograph']);
  bench.show([{ ...ROTOR, x: ROTOR.x + 6 }], 1);
  expect(bench.events).toEqual(['photograph', 'spoiled']);
  bench.show([{ ...ROTOR, x: ROTOR.x + 6 }], 10);
  expect(bench.events).toEqual(['photograph', 'spoiled', 'photograph', 'keep']);
});

it('leaves a scanned part alone that is pushed aside or turned', () => {
  const bench = opened().lay(BELT);
  const pushed = { ...BELT, x: BELT.x - 12, y: BELT.y + 20 };
  bench.hand([BELT]).show([pushed], 12);
  const turned = { ...BELT, x: 40, y: 10, w: BELT.h, h: BELT.w };
  bench.hand([pushed]).show([turned], 12);
  expect(scans(bench)).toBe(1);
  expect(bench.take().last.phase).toBe('empty');
});

it('scans a part that was exchanged while the table was never empty', () => {
  const bench = opened().lay(ROTOR).hand([ROTOR]).show([BELT], 12);
  expect(scans(bench)).toBe(2);
});

it('scans a second part beside the first alone, and nothing when one of them goes', () => {
  const beside: Thing = { x: 8, y: 50, w: 14, h: 10, grey: 60 };
  const bench = opened().lay(ROTOR);
  let region = { left: 0, top: 0, right: 0, bottom: 0 };
  for (const reach of [20, 0]) bench.show([ROTOR, { ...beside, y: beside.y + reach }], 1);
  for (let n = 0; n < 12; n += 1) {
    const { event } = bench.show([ROTOR, beside], 1).last;
    if (event?.type === 'photograph') region = event.region;
  }
  expect(scans(bench)).toBe(2);
  expect(region.right).toBeLessThan(ROTOR.x / WIDTH);
  bench.take([beside]);
  bench.take();
  expect(scans(bench)).toBe(2);
  expect(bench.last.phase).toBe('empty');
});

it('scans a part that touches the one before, and photographs only the new one', () => {
  const touching: Thing = { x: ROTOR.x + ROTOR.w, y: 30, w: 16, h: 14, grey: 30 };
  const bench = opened().lay(ROTOR);
  let left = 0;
  for (let n = 0; n < 12; n += 1) {
    const { event } = bench.show([ROTOR, touching], 1).last;
    if (event?.type === 'photograph') ({ left } = event.region);
  }
  expect(scans(bench)).toBe(2);
  expect(left).toBeGreaterThan((ROTOR.x + ROTOR.w - 3) / WIDTH);
});

describe('the light', () => {
  it('may change at once or slowly, with or without a part', () => {
    const bench = opened().show([], 10, 0.8).show([], 10, 1.15);
    for (let light = 1.15; light > 0.75; light -= 0.01) bench.show([], 4, light);
    expect(bench.events).toEqual([]);
    bench.show([ROTOR], 12, 0.75).show([ROTOR], 12, 1).show([ROTOR], 12, 0.7);
    expect(scans(bench)).toBe(1);
    bench.take();
    expect(bench.last.phase).toBe('empty');
    expect(scans(bench)).toBe(1);
  });
});

it('takes the place of a part for empty that lay there from the beginning', () => {
  const bench = new Bench().show([ROTOR], 12).hand([]).show([], 20);
  expect(bench.events).toEqual([]);
  expect(bench.last.phase).toBe('empty');
  expect(scans(bench.lay(PLUG))).toBe(1);
});

it('says that the view changed where all of it did, until it is learnt anew', () => {
  const bench = opened();
  const other: Thing = { x: 0, y: 0, w: WIDTH, h: HEIGHT, grey: 20, stripes: 200 };
  bench.show([other], 12);
  expect(bench.last.phase).toBe('view-changed');
  expect(bench.events).toEqual([]);
  bench.watcher.learn();
  expect(bench.show([other], 12).last.phase).toBe('empty');
});

it('scans what goes over the edge by hand, and not once more by itself', () => {
  const bumper: Thing = { x: 30, y: 20, w: 80, h: 30, grey: 60 };
  const bench = opened().show([bumper], 12);
  expect(bench.last.phase).toBe('over-edge');
  const region = bench.watcher.scanNow(bench.frame([bumper]));
  expect(region.right).toBe(1);
  bench.show([bumper], 30);
  expect(bench.last.phase).toBe('lying');
  expect(bench.events).toEqual([]);
  expect(bench.show([], 8).last.phase).toBe('empty');
});

it('scans all of the picture by hand where it sees no part', () => {
  const bench = opened();
  expect(bench.watcher.scanNow(bench.frame([]))).toEqual({ left: 0, top: 0, right: 1, bottom: 1 });
});

it('learns anew when the size of the picture changes', () => {
  const bench = opened();
  const wide: Grid = { width: 96, height: 54, cells: new Float32Array(96 * 54).fill(100) };
  expect(bench.watcher.look(wide).phase).toBe('learning');
});
