import { expect, it } from 'vitest';
import type { Schemas } from '@/api/client';
import {
  boxesOf,
  csvOf,
  foundText,
  freePlace,
  isChanged,
  moved,
  resized,
  withArea,
} from '@/features/scanning/regions/boxes';
import { rimRegion } from '@/testing/fixtures';

const area = { left: 0.1, top: 0.2, width: 0.3, height: 0.4 };

const region = (facts: Partial<Schemas['ScanRegion']> = {}) => ({ ...rimRegion, area, ...facts });

it('moves and resizes a box no further than the photo goes', () => {
  expect(moved(area, 0.1, -0.1)).toMatchObject({ left: 0.2, top: 0.1, width: 0.3 });
  expect(moved(area, 5, -5)).toMatchObject({ left: 0.7, top: 0 });
  expect(resized(area, 5, -5)).toMatchObject({ left: 0.1, width: 0.9, height: 0.04 });
  expect(resized({ left: 0.98, top: 0, width: 0.02, height: 1 }, -1, 0).width).toBeCloseTo(0.02);
});

it('puts a new box where none is', () => {
  const [box] = boxesOf([region({ area: freePlace([]) })]);
  expect(box).toBeDefined();
  if (box !== undefined) expect(freePlace([box])).not.toEqual(box.area);
});

it('knows what would be saved', () => {
  const saved = [region(), region({ number: 2 })];
  const boxes = boxesOf(saved);
  expect(isChanged(boxes, saved)).toBe(false);
  expect(isChanged(boxes.slice(1), saved)).toBe(true);
  expect(isChanged(boxes.toReversed(), saved)).toBe(true);
  expect(isChanged(withArea(boxes, 'saved 2', moved(area, 0.1, 0)), saved)).toBe(true);
  const corrected = boxes.map((box) => ({ ...box, corrected: { label: 'rim', name: 'Rim' } }));
  expect(isChanged(corrected, saved)).toBe(true);
});

it('says what was found and how much of it is sure', () => {
  const found = (regions: Schemas['ScanRegion'][], totals: Schemas['RegionTotal'][]) =>
    foundText({ isLookedFor: true, regions, totals, changedAt: null });
  const rotors = { label: 'brake-rotor', name: 'Brake Rotor', count: 3, unsureCount: 1 };
  const rim = { label: 'rim', name: 'Rim', count: 1, unsureCount: 1 };
  expect(found([], [])).toBe('No part is marked on this photo.');
  expect(found([region()], [rim])).toBe('One part was found: 1 × Rim (unsure).');
  expect(
    found(
      Array.from({ length: 4 }, () => region()),
      [rotors, rim],
    ),
  ).toBe('4 parts were found: 3 × Brake Rotor (1 unsure), 1 × Rim (unsure).');
});

it('writes a table that no spreadsheet takes for formulas', () => {
  const other = { correctedLabel: 'x', correctedName: '=1+1, "quoted"' };
  expect(csvOf([region(), region({ number: 2, ...other })])).toBe(
    [
      '\uFEFFnumber,part,label,verdict,confidence,left,top,width,height',
      '1,Rim,rim,identified,0.910,0.1000,0.2000,0.3000,0.4000',
      '2,"\'=1+1, ""quoted""",x,corrected,0.910,0.1000,0.2000,0.3000,0.4000',
      '',
    ].join('\r\n'),
  );
});
