import type { ComponentProps } from 'react';
import { lazyComponent } from '@/components/lazy-component';
import { ChartFigure } from '@/components/charts/chart-figure';
import {
  barFigures,
  type Bar,
  type ChartAxis,
  type CurvePoint,
  type LinePoint,
  type RangePoint,
} from '@/components/charts/model';
import { SERIES } from '@/components/charts/theme';

// The library that draws is loaded by the screens that have a chart to draw.
const Bars = lazyComponent(async () => (await import('@/components/charts/drawn/bars')).Bars);
const Line = lazyComponent(async () => (await import('@/components/charts/drawn/line')).Line);
const Curves = lazyComponent(async () => (await import('@/components/charts/drawn/curves')).Curves);
const Ranges = lazyComponent(async () => (await import('@/components/charts/drawn/ranges')).Ranges);

type ChartProps = Pick<ComponentProps<typeof ChartFigure>, 'title' | 'summary' | 'caption'> & {
  format: (value: number) => string;
};

type BarChartProps = ChartProps & {
  /** What a bar stands for: the head of its column. */
  what: string;
  /** The parts of each bar, from the bottom up. */
  series: string[];
  bars: Bar[];
  /** What fits an axis, where the whole does not. */
  formatShort?: ((value: number) => string) | undefined;
  /** Steps of the axis never fall between these: 1 for what is counted. */
  leastStep?: number | undefined;
};

/** Values of days, months or years, beside each other. */
export function BarChart({
  what,
  series,
  bars,
  format,
  formatShort = format,
  leastStep,
  ...figure
}: BarChartProps) {
  return (
    <ChartFigure
      {...figure}
      legend={series.length > 1 && <Legend series={series} />}
      figures={barFigures(what, series, bars, format)}
    >
      <Bars bars={bars} format={formatShort} leastStep={leastStep} />
    </ChartFigure>
  );
}

type LineChartProps = ChartProps & {
  /** What is read, and where: the heads of the columns. */
  head: [string, string];
  points: LinePoint[];
};

/** One value over time. */
export function LineChart({ head, points, format, ...figure }: LineChartProps) {
  const rows = points.map(({ name, value }) => [name, format(value)]).reverse();
  return (
    <ChartFigure {...figure} figures={{ head, rows }}>
      <Line points={points} format={format} />
    </ChartFigure>
  );
}

type CurveChartProps = ChartProps & {
  /** What a mark is: the head of its column. */
  what: string;
  /** What the two curves are of. */
  series: [string, string];
  points: CurvePoint[];
};

/** Two shares at the same marks, which stand at equal distances. */
export function CurveChart({ what, series, points, format, ...figure }: CurveChartProps) {
  const rows = points.map(({ name, values }) => [name, ...values.map(format)]);
  return (
    <ChartFigure
      {...figure}
      legend={<Legend series={series} />}
      figures={{ head: [what, ...series], rows }}
    >
      <Curves points={points} format={format} />
    </ChartFigure>
  );
}

type RangeChartProps = ChartProps & {
  /** What a point stands for: the head of its column. */
  what: string;
  points: RangePoint[];
  across: ChartAxis;
  up: ChartAxis;
};

const RANGE_HEIGHT = 250;

/** One value against another, each with how far it may be off. Its title stands above the table alone. */
export function RangeChart({ what, points, across, up, format, ...figure }: RangeChartProps) {
  const rows = points.map((point) => [
    point.label,
    ...[point.across, point.up, point.upAtLeast].map(format),
  ]);
  return (
    <ChartFigure
      {...figure}
      titled={false}
      height={RANGE_HEIGHT}
      figures={{ head: [what, across.name, up.name, 'At least'], rows }}
    >
      <Ranges height={RANGE_HEIGHT} points={points} across={across} up={up} format={format} />
    </ChartFigure>
  );
}

function Legend({ series }: { series: string[] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
      {series.map((name, index) => {
        const { colour, hatched } = SERIES[index % SERIES.length] ?? SERIES[0];
        return (
          <li key={name} className="flex items-center gap-1.5">
            <span
              aria-hidden
              className="size-3 rounded-[2px]"
              style={{
                background: hatched
                  ? `repeating-linear-gradient(45deg, ${colour} 0 2px, transparent 2px 4px)`
                  : colour,
                outline: hatched ? `1px solid ${colour}` : undefined,
              }}
            />
            {name}
          </li>
        );
      })}
    </ul>
  );
}
