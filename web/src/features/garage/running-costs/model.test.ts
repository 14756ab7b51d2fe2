import { describe, expect, it } from 'vitest';
import { mileagePoints, spendingOf, type Entry } from '@/features/garage/running-costs/model';

const oil = (day: string, cost: number | null): Entry => ({
  kind: 'oil-change',
  day,
  cost,
  mileage: 52_000,
});
const repair = (day: string, cost: number | null): Entry => ({ ...oil(day, cost), kind: 'repair' });
const TODAY = '2026-11-22';

describe('spendingOf', () => {
  it('tells each month from the first that is known until now, those with nothing too', () => {
    const spending = spendingOf(
      [oil('2026-11-05', 0.1), oil('2026-11-20', 0.2), repair('2026-09-30', 349.5)],
      null,
      TODAY,
    );
    expect(spending).toEqual({
      unit: 'month',
      bars: [
        { name: 'Sep 2026', short: 'Sep 26', values: [0, 349.5] },
        { name: 'Oct 2026', short: 'Oct 26', values: [0, 0] },
        { name: 'Nov 2026', short: 'Nov 26', values: [0.3, 0] },
      ],
    });
  });

  it('tells a longer time by the year', () => {
    const spending = spendingOf([oil('2024-12-31', 50), repair('2026-01-01', 80)], null, TODAY);
    expect(spending?.unit).toBe('year');
    expect(spending?.bars.map(({ name, values }) => [name, ...values])).toEqual([
      ['2024', 50, 0],
      ['2025', 0, 0],
      ['2026', 0, 80],
    ]);
  });

  it('leaves out the month and the year of which some is not loaded', () => {
    const months = spendingOf([oil('2026-08-03', 40), oil('2026-09-03', 50)], '2026-08-03', TODAY);
    expect(months?.bars.map(({ short }) => short)).toEqual(['Sep 26', 'Oct 26', 'Nov 26']);
    const years = spendingOf([oil('2023-02-03', 40), oil('2025-02-03', 50)], '2023-02-03', TODAY);
    expect(years?.bars.map(({ name }) => name)).toEqual(['2024', '2025', '2026']);
  });

  it.each([
    ['no record', []],
    ['no cost', [oil('2026-11-05', null), repair('2026-11-05', 0)]],
    ['a day to come', [oil('2027-01-05', 40)]],
  ])('tells nothing of %s', (_, entries) => {
    expect(spendingOf(entries, null, TODAY)).toBeNull();
  });

  it('tells nothing where all that was paid may be a part', () => {
    expect(spendingOf([oil('2026-11-05', 40)], '2026-11-01', TODAY)).toBeNull();
  });
});

describe('mileagePoints', () => {
  it('sorts the readings by day, with each of a day and what goes back, none twice', () => {
    const points = mileagePoints([
      { day: '2026-03-05', mileage: 52_000 },
      { day: '2025-03-05', mileage: 41_000 },
      { day: '2026-03-05', mileage: 52_010 },
      { day: '2026-03-05', mileage: 52_000 },
      { day: '2026-04-05', mileage: 51_000 },
    ]);
    expect(points).toEqual([
      { at: Date.UTC(2025, 2, 5), name: 'Mar 05, 2025', value: 41_000 },
      { at: Date.UTC(2026, 2, 5), name: 'Mar 05, 2026', value: 52_000 },
      { at: Date.UTC(2026, 2, 5), name: 'Mar 05, 2026', value: 52_010 },
      { at: Date.UTC(2026, 3, 5), name: 'Apr 05, 2026', value: 51_000 },
    ]);
  });
});
