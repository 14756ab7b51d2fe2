import { expect, it } from 'vitest';
import { addDays, daysBetween, formatDay, today } from '@/lib/dates';

it('writes a day as it is, whatever the time zone', () => {
  expect(formatDay('2025-03-05')).toBe('Mar 05, 2025');
  expect(formatDay('soon')).toBe('soon');
});

it('takes today from the clock of the reader', () => {
  expect(today(new Date(2026, 0, 2, 23, 59))).toBe('2026-01-02');
});

it('counts days across the change to summer time', () => {
  expect(daysBetween('2026-03-01', '2026-04-01')).toBe(31);
  expect(daysBetween('2026-03-02', '2026-03-01')).toBe(-1);
  expect(addDays('2026-02-27', 2)).toBe('2026-03-01');
});
