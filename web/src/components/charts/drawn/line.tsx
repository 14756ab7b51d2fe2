import { scaleLinear, scaleUtc } from '@visx/scale';
import { Circle, LinePath } from '@visx/shape';
import { BottomAxis, LeftAxis, Plot } from '@/components/charts/drawn/plot';
import { roomyTicks, type LinePoint } from '@/components/charts/model';
import { LINE_STROKE, marginFor, TICK_LABEL_BOTTOM } from '@/components/charts/theme';

type LineProps = { points: LinePoint[]; format: (value: number) => string };

/** Pixels between two labels of the time axis. */
const TIME_ROOM = 84;
/** The least of them with which two labels do not touch. */
const LABEL_ROOM = 64;
/** Of a leap year, so that twelve whole months never count as more than a year. */
const YEAR_MS = 366 * 86_400_000;

const WITHIN_A_YEAR = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});
const OVER_YEARS = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

export function Line({ points, format }: LineProps) {
  const times = points.map(({ at }) => at);
  const values = points.map(({ value }) => value);
  const span = Math.max(...times) - Math.min(...times);
  const time = span > YEAR_MS ? OVER_YEARS : WITHIN_A_YEAR;
  const scaled = (height: number) =>
    scaleLinear({
      domain: [Math.min(...values), Math.max(...values)],
      range: [height, 0],
      nice: 4,
    });
  return (
    <Plot margin={marginFor(scaled(1).ticks(4).map(format))}>
      {(width, height) => {
        const x = scaleUtc({
          domain: [Math.min(...times), Math.max(...times)],
          range: [0, width],
        });
        const y = scaled(height);
        // The scale may give more than it is asked for.
        const round = roomyTicks(x.ticks(Math.floor(width / TIME_ROOM)), x, LABEL_ROOM);
        // A narrow chart has room for one round day, which says less than both ends.
        const ends = round.length < 2;
        const ticks = ends ? x.domain() : round;
        return (
          <>
            <LeftAxis scale={y} width={width} format={format} />
            <BottomAxis
              scale={x}
              top={height}
              tickValues={ticks}
              tickFormat={(tick) => time.format(new Date(Number(tick)))}
              tickLabelProps={(_, index) => ({
                ...TICK_LABEL_BOTTOM,
                ...(ends && { textAnchor: index === 0 ? 'start' : 'end' }),
              })}
            />
            <LinePath
              data={points}
              x={({ at }) => x(at)}
              y={({ value }) => y(value)}
              stroke={LINE_STROKE}
              strokeWidth={2}
            />
            {points.map(({ at, value }) => (
              <Circle key={`${at} ${value}`} cx={x(at)} cy={y(value)} r={4} fill={LINE_STROKE} />
            ))}
          </>
        );
      }}
    </Plot>
  );
}
