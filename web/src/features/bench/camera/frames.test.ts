import { expect, it } from 'vitest';
import { cutOf } from '@/features/bench/camera/frames';

const around = (left: number, top: number, right: number, bottom: number) =>
  cutOf({ left, top, right, bottom }, 1920, 1080);

it('cuts a part out with a margin', () => {
  const { x, y, width, height } = around(0.25, 0.25, 0.5, 0.75);
  expect([x, y, width, height]).toEqual([360, 135, 720, 810]);
});

it('cuts a small part out of its surroundings, not of a blur', () => {
  const { width, height } = around(0.5, 0.5, 0.51, 0.51);
  expect([width, height]).toEqual([324, 324]);
});

it('stays in the picture for a part in a corner', () => {
  const { x, y } = around(0.9, 0.9, 1, 1);
  const { width, height } = around(0.9, 0.9, 1, 1);
  expect(x + width).toBe(1920);
  expect(y + height).toBe(1080);
});

it('does not make a slip of a long part', () => {
  const { width, height } = around(0.1, 0.45, 0.9, 0.5);
  expect(width).toBe(1920);
  expect(height).toBeGreaterThanOrEqual(1080 * 0.75);
});

it('takes all of the picture where it is asked for', () => {
  expect(around(0, 0, 1, 1)).toEqual({ x: 0, y: 0, width: 1920, height: 1080 });
});
