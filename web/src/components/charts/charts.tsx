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

type BarChartProps = {
  title: string;
  summary: string;
  caption?: string | undefined;
  /** What a bar stands for: the head of its column. */
  what: string;
  /** The parts of each bar, from the bottom up. */
  series: string[];
  bars: Bar[];
  format: (value: number) => string;
  /** What fits an axis, where the whole does not. */
  formatShort?: ((value: number) => string) | undefined;
  /** Steps of the axis never fall between these: 1 for what is counted. */
  leastStep?: number | undefined;
};

/** Values of days, months or years, beside each other. */
export function BarChart({
  title,
  summary,
  caption,
  what,
  series,
  bars,
  format,
  formatShort = format,
  leastStep,
}: BarChartProps) {
  return (
    <ChartFigure
      title={title}
      summary={summary}
      caption={caption}
      legend={series.length > 1 && <Legend series={series} />}
      figures={barFigures(what, series, bars, format)}
    >
      <Bars bars={bars} format={formatShort} leastStep={leastStep} />
    </ChartFigure>
  );
}

type LineChartProps = {
  title: string;
  summary: string;
  caption?: string | undefined;
  /** What is read, and where: the heads of the columns. */
  head: [string, string];
  points: LinePoint[];
  format: (value: number) => string;
};

/** One value over time. */
export function LineChart({ title, summary, caption, head, points, format }: LineChartProps) {
  return (
    <ChartFigure
      title={title}
      summary={summary}
      caption={caption}
      figures={{ head, rows: points.map(({ name, value }) => [name, format(value)]).reverse() }}
    >
      <Line points={points} format={format} />
    </ChartFigure>
  );
}

type CurveChartProps = {
  title: string;
  summary: string;
  caption?: string | undefined;
  /** What a mark is: the head of its column. */
  what: string;
  /** What the two curves are of. */
  series: [string, string];
  points: CurvePoint[];
  format: (value: number) => string;
};

/** Two shares at the same marks, which stand at equal distances. */
export function CurveChart({
  title,
  summary,
  caption,
  what,
  series,
  points,
  format,
}: CurveChartProps) {
  return (
    <ChartFigure
      title={title}
      summary={summary}
      caption={caption}
      legend={<Legend series={series} />}
      figures={{
        head: [what, ...series],
        rows: points.map(({ name, values }) => [name, ...values.map(format)]),
      }}
    >
      <Curves points={points} format={format} />
    </ChartFigure>
  );
}

type RangeChartProps = {
  /** What the table is of; above the chart it does not stand. */
  title: string;
  summary: string;
  caption: string;
  /** What a point stands for: the head of its column. */
  what: string;
  points: RangePoint[];
  across: ChartAxis;
  up: ChartAxis;
  format: (value: number) => string;
};

const RANGE_HEIGHT = 250;

/** One value against another, each with how far it may be off. */
export function RangeChart({ title, summary, caption, what, ...drawing }: RangeChartProps) {
  const { points, across, up, format } = drawing;
  return (
    <ChartFigure
      title={title}
      titled={false}
      summary={summary}
      caption={caption}
      height={RANGE_HEIGHT}
      figures={{
        head: [what, across.name, up.name, 'At least'],
        rows: points.map((point) => [
          point.label,
          format(point.across),
          format(point.up),
          format(point.upAtLeast),
        ]),
      }}
    >
      <Ranges height={RANGE_HEIGHT} {...drawing} />
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
