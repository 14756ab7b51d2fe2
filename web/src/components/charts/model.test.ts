import { expect, it } from 'vitest';
import { roomyTicks } from '@/components/charts/model';

it('leaves out ticks whose labels would run together, and keeps the last', () => {
  const at = (step: number) => (tick: number) => tick * step;
  expect(roomyTicks([0, 1, 2, 3, 4], at(50), 64)).toEqual([0, 2, 4]);
  expect(roomyTicks([0, 1, 2, 3], at(50), 64)).toEqual([1, 3]);
  expect(roomyTicks([0, 1, 2], at(64), 64)).toEqual([0, 1, 2]);
  expect(roomyTicks([0], at(1), 64)).toEqual([0]);
});
