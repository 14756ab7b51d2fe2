import { render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BarChart, CurveChart, LineChart, RangeChart } from '@/components/charts/charts';
import { MARGIN, marginFor } from '@/components/charts/theme';
import {
  barFigures,
  labelRises,
  labelledBars,
  shownLabels,
  type Bar,
} from '@/components/charts/model';

/** The narrowest place that a chart is read in: a phone of 320 px less the frames of page and card. */
const NARROW = 246;

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(private readonly report: ResizeObserverCallback) {}
      observe() {
        const contentRect = { width: NARROW, height: 200, top: 0, left: 0 };
        this.report([{ contentRect } as ResizeObserverEntry], this);
      }
      unobserve() {
        return undefined;
      }
      disconnect() {
        return undefined;
      }
    },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const bar = (name: string, ...values: number[]): Bar => ({ name, short: name.slice(0, 3), values });
const bars = [bar('August', 40, 0), bar('September', 0, 0), bar('October', 50, 349.5)];
const dollars = (value: number) => `$${value}`;

const drawn = async () => {
  const chart = screen.getByRole('img');
  await waitFor(() => expect(chart.querySelector('svg')).not.toBeNull());
  return chart;
};
const words = (chart: HTMLElement) =>
  [...chart.querySelectorAll('svg text')].map((text) => text.textContent);

it('draws bars in parts, told apart without their colour, and says them as a table', async () => {
  render(
    <BarChart
      title="Money spent"
      summary="$439.50 in three months."
      what="Month"
      series={['Oil changes', 'Repairs']}
      bars={bars}
      format={dollars}
    />,
  );
  expect(screen.getByRole('figure', { name: 'Money spent' })).toBeVisible();
  const chart = await drawn();
  expect(chart).toHaveAccessibleName('$439.50 in three months.');
  expect(words(chart)).toEqual(expect.arrayContaining(['Aug', 'Sep', 'Oct', '$399.5']));
  const fills = [...chart.querySelectorAll('rect.visx-bar')].map((rect) =>
    rect.getAttribute('fill'),
  );
  expect(fills).toHaveLength(6);
  expect(fills[0]).toBe('var(--color-accent)');
  expect(fills[1]).toMatch(/^url\(#/);

  const table = within(
    screen.getByRole('region', { name: 'Figures of Money spent', hidden: true }),
  );
  const rows = table.getAllByRole('row', { hidden: true }).map(({ textContent }) => textContent);
  expect(rows).toEqual([
    'MonthOil changesRepairsTotal',
    'October$50$349.5$399.5',
    'August$40$0$40',
  ]);
});

it('draws a line over time', async () => {
  const at = (day: string) => Date.parse(`${day}T00:00:00Z`);
  render(
    <LineChart
      title="Mileage"
      summary="Up."
      head={['Day', 'Miles']}
      points={[
        { at: at('2025-03-05'), name: 'Mar 05, 2025', value: 41_000 },
        { at: at('2026-03-05'), name: 'Mar 05, 2026', value: 52_000 },
      ]}
      format={String}
    />,
  );
  const chart = await drawn();
  expect(chart.querySelectorAll('circle')).toHaveLength(2);
  expect(chart.querySelector('path.visx-linepath')?.getAttribute('d')).not.toMatch(/NaN/);
  expect(words(chart)).toContain('50000');
});

it('draws a value with its bounds, the chosen one bright', async () => {
  const axis = { from: 0, to: 1, ticks: [0, 0.5, 1] };
  render(
    <RangeChart
      title="the choices"
      what="At most wrong"
      summary="Two choices."
      caption="Each dot is a choice."
      points={[
        { label: '1%', across: 0.6, up: 1, upAtLeast: 0.9, bright: false },
        { label: '5%', across: 0.8, up: 0.97, upAtLeast: 0.95, bright: true },
      ]}
      across={{ ...axis, name: 'Answered' }}
      up={{ ...axis, name: 'Right' }}
      format={String}
    />,
  );
  const chart = await drawn();
  expect(chart).toHaveAccessibleDescription('Each dot is a choice.');
  const radii = [...chart.querySelectorAll('circle')].map((dot) => dot.getAttribute('r'));
  expect(radii).toEqual(['5', '7']);
  expect(words(chart)).toEqual(expect.arrayContaining(['1%', '5%', 'Answered', 'Right']));
  const table = within(
    screen.getByRole('region', { name: 'Figures of the choices', hidden: true }),
  );
  const rows = table.getAllByRole('row', { hidden: true }).map(({ textContent }) => textContent);
  expect(rows).toEqual(['At most wrongAnsweredRightAt least', '1%0.610.9', '5%0.80.970.95']);
});

it('raises a label of a dot that would touch the one before it', () => {
  const dots = [
    { label: '1, 2%', x: 67, y: 0 },
    { label: '5%', x: 90, y: 2 },
    { label: '10%', x: 200, y: 2 },
    { label: '20%', x: 205, y: 90 },
  ];
  expect(labelRises(dots)).toEqual([0, 17, 0, 0]);
});

describe('labels', () => {
  it('stand below as many bars as have room, the newest among them', () => {
    expect([...shownLabels(3, 300, 50)]).toEqual([0, 1, 2]);
    expect([...shownLabels(30, 200, 50)]).toEqual([5, 13, 21, 29]);
    expect([...shownLabels(2, 0, 50)]).toEqual([1]);
  });

  it('stand above all bars with something, or where they are narrow above the highest', () => {
    expect([...labelledBars(bars, 60, 50)]).toEqual([0, 2]);
    expect([...labelledBars(bars, 20, 50)]).toEqual([2]);
    expect([...labelledBars([bar('May', 0)], 20, 50)]).toEqual([]);
  });
});

it('sums no single series', () => {
  expect(barFigures('Day', ['Scans'], [bar('Monday', 2)], String)).toEqual({
    head: ['Day', 'Scans'],
    rows: [['Monday', '2']],
  });
});

it('leaves room for the longest label beside the plot', () => {
  expect(marginFor(['0', '50'])).toEqual(MARGIN);
  expect(marginFor(['90,000', '100,000', '1,000,000']).left).toBeGreaterThan(9 * 7);
});

it('draws two curves, told apart without their colour', async () => {
  render(
    <CurveChart
      title="Confidence"
      summary="Half of one, a quarter of the other."
      what="At most"
      series={['Now', 'Before']}
      points={[
        { name: '50%', values: [0.5, 0.25] },
        { name: '90%', values: [1, 0.75] },
      ]}
      format={(share) => `${share * 100}%`}
    />,
  );
  const chart = await drawn();
  expect(chart).toHaveAccessibleName('Half of one, a quarter of the other.');
  const lines = [...chart.querySelectorAll('path.visx-linepath')];
  expect(lines.map((line) => line.getAttribute('stroke-dasharray') !== null)).toEqual([
    false,
    true,
  ]);
  expect(words(chart)).toEqual(expect.arrayContaining(['0%', '100%', '50%', '90%']));
});
