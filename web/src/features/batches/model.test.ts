import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  answerOf,
  checkOf,
  nextForm,
  NOTHING,
  partOf,
  picked,
  placeAfter,
  progressOf,
  progressText,
  scrolledTo,
  shownRows,
  sorted,
  sumsOf,
  sureOf,
} from '@/features/batches/model';
import type { Batch } from '@/features/batches/queries';
import { checked, counts, groupOf, item } from '@/testing/batch';

it('says what became of the photos of a batch, and nothing of what there is none of', () => {
  const progress = (counts: Batch['counts'], state: Batch['state'] = 'done') =>
    progressText({ counts, state });
  expect(progress(counts)).toBe('3 of 3 finished: 2 answered, 1 failed');
  const stopped = { ...counts, total: 9, waiting: 1, notAPart: 1, duplicate: 1, cancelled: 3 };
  expect(progress(stopped)).toBe(
    '8 of 9 finished: 2 answered, 1 without a part, 1 failed, 1 the same as another, 3 cancelled',
  );
  expect(progress({ ...counts, answered: 0, failed: 0, waiting: 3 })).toBe('0 of 3 finished');
  expect(progress({ ...counts, total: 0 })).toBe('No photos yet.');
  // Before it is started nothing is finished.
  const sent = { ...counts, answered: 0, waiting: 1, duplicate: 1 };
  expect(progress(sent, 'open')).toBe('3 photos: 1 failed, 1 the same as another');
  expect(progressOf({ state: 'open', counts: sent })).toEqual({ finished: 0, total: 3 });
});

it('counts grades by day, person and part', () => {
  const total = (day: string, grade: string, count: number) => ({
    day,
    grade,
    count,
    personId: 'ann',
    person: 'Ann Smith',
    label: 'rim',
    partName: 'Rim',
  });
  const totals = [
    total('2026-11-20', 'A', 2),
    total('2026-11-20', 'C', 1),
    total('2026-11-19', 'A', 4),
  ];
  const byDay = sumsOf(totals, 'day');
  expect(byDay.grades).toEqual(['A', 'C']);
  expect(byDay.rows.map(({ name, sum }) => [name, sum])).toEqual([
    ['2026-11-20', 3],
    ['2026-11-19', 4],
  ]);
  expect(sumsOf(totals, 'person').rows.map(({ name, sum }) => [name, sum])).toEqual([
    ['Ann Smith', 7],
  ]);
});

it('counts grades of different people and parts of one name apart', () => {
  const totals = [
    { personId: 'john-1', person: 'John Smith', label: 'rim', partName: 'Rim' },
    { personId: 'john-2', person: 'John Smith', label: 'user-rim', partName: 'Rim' },
    { personId: null, person: null, label: 'rim', partName: 'Rim' },
    { personId: 'john-1', person: 'John Smith', label: 'rim', partName: 'Rim' },
  ].map((more) => ({ day: '2026-11-20', grade: 'A', count: 1, ...more }));
  const rows = (by: 'person' | 'part') =>
    sumsOf(totals, by).rows.map(({ key, name, sum }) => [key, name, sum]);
  expect(rows('person')).toEqual([
    ['john-1', 'John Smith', 2],
    ['john-2', 'John Smith', 1],
    ['', 'Somebody who left', 1],
  ]);
  expect(rows('part')).toEqual([
    ['rim', 'Rim', 3],
    ['user-rim', 'Rim', 1],
  ]);
});

it('says of a joined item that its photos were named differently', () => {
  const named = (one: Schemas['FeedbackAnswer'], other: Schemas['FeedbackAnswer']) => {
    const group = groupOf(1, 2);
    const [first, second] = [checked(1, one), checked(2, other)];
    group.photos = [first, second].map(({ id, file, scan }) => ({ id, file, scan }));
    const pair = item(1, { group });
    return [answerOf(pair), checkOf(pair), sureOf(pair)?.confidence, partOf(pair)?.name];
  };
  expect(named('right', 'other-part')).toEqual(['Named differently', null, undefined, undefined]);
  expect(named('not-a-part', 'other-part')).toEqual([
    'Named differently',
    null,
    undefined,
    undefined,
  ]);
  expect(named('other-part', 'other-part')).toEqual(['Rim', 'corrected', 0.7, 'Rim']);
});

it('draws only what is in view, and chooses alone, in addition and as a range', () => {
  expect(shownRows({ top: 0, height: 600 }, 200, 2500)).toEqual({ first: 0, end: 6 });
  expect(shownRows({ top: 100_000, height: 600 }, 200, 2500)).toEqual({ first: 497, end: 506 });
  expect(shownRows({ top: 499_400, height: 600 }, 200, 2500)).toEqual({ first: 2494, end: 2500 });
  const list = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
  const ids = (selection: typeof NOTHING) => [...selection.chosen];
  const one = picked(NOTHING, list, { at: 1 });
  expect(ids(one)).toEqual(['b']);
  expect(ids(picked(one, list, { at: 3, range: true }))).toEqual(['b', 'c', 'd']);
  const two = picked(one, list, { at: 3, toggle: true });
  expect(ids(two)).toEqual(['b', 'd']);
  expect(ids(picked(two, list, { at: 3, toggle: true }))).toEqual(['b']);
});

it('sorts files by their kind, and sends few at a time', () => {
  const file = (name: string, size = 1) => new File([new Uint8Array(size)], name);
  const files = [file('a.jpg'), file('b.HEIC'), file('c.zip'), file('notes.txt')];
  const { photos, zips, leftOut } = sorted(files);
  expect([photos.length, zips.length, leftOut]).toEqual([2, 1, 1]);
  const small = Array.from({ length: 20 }, (_, n) => file(`${n}.jpg`));
  expect(nextForm(small)).toHaveLength(8);
  const large = [file('a.jpg', 15_000_000), file('b.jpg', 15_000_000)];
  expect(nextForm(large)).toHaveLength(1);
  // A zip may be refused, and takes no photo with it.
  expect(nextForm([file('a.jpg'), file('c.zip')]).map(({ name }) => name)).toEqual(['a.jpg']);
  expect(nextForm([file('c.zip'), file('a.jpg')]).map(({ name }) => name)).toEqual(['c.zip']);
});

it('moves the keyboard through the grid, and keeps where it is in view', () => {
  const grid = { columns: 4, seen: 12, count: 50 };
  const places = ['ArrowDown', 'PageDown', 'End', 'Home', 'ArrowLeft'].map((key) =>
    placeAfter(key, 20, grid),
  );
  expect(places).toEqual([24, 32, 49, 0, 19]);
  expect(placeAfter('ArrowUp', 2, grid)).toBe(0);
  expect(placeAfter('r', 2, grid)).toBeNull();
  expect(scrolledTo({ top: 400, height: 600 }, 600, 200)).toBe(400);
  expect(scrolledTo({ top: 400, height: 600 }, 200, 200)).toBe(200);
  expect(scrolledTo({ top: 400, height: 600 }, 1000, 200)).toBe(600);
});
