import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar as Rect } from '@visx/shape';
import { useId } from 'react';
import { BottomAxis, LeftAxis, Plot } from '@/components/charts/drawn/plot';
import { labelledBars, shownLabels, totalOf, type Bar } from '@/components/charts/model';
import { marginFor, SERIES, VALUE_LABEL } from '@/components/charts/theme';

type BarsProps = {
  bars: Bar[];
  format: (value: number) => string;
  leastStep?: number | undefined;
};

/** Pixels that a label takes at most, with the gap to the next. */
const LABEL_ROOM = 52;

export function Bars({ bars, format, leastStep = 0 }: BarsProps) {
  const hatch = useId();
  const most = Math.max(...bars.map(totalOf), leastStep);
  const scaled = (height: number) =>
    scaleLinear({ domain: [0, most], range: [height, 0], nice: 4 });
  const ticks = scaled(1)
    .ticks(4)
    .filter((tick) => leastStep === 0 || tick % leastStep === 0);
  return (
    <Plot margin={marginFor(ticks.map(format))}>
      {(width, height) => {
        const x = scaleBand({
          domain: bars.map((_, index) => index),
          range: [0, width],
          padding: 0.25,
        });
        const y = scaled(height);
        const labelled = shownLabels(bars.length, width, LABEL_ROOM);
        const valued = labelledBars(bars, x.step(), LABEL_ROOM);
        return (
          <>
            <defs>
              {SERIES.map(({ colour }, index) => (
                <pattern
                  key={colour}
                  id={`${hatch}-${index}`}
                  width="5"
                  height="5"
                  patternUnits="userSpaceOnUse"
                  patternTransform="rotate(45)"
                >
                  <rect width="2.5" height="5" fill={colour} />
                </pattern>
              ))}
            </defs>
            <LeftAxis scale={y} width={width} ticks={ticks} format={format} />
            {bars.map((bar, index) => {
              const left = x(index) ?? 0;
              return (
                <g key={bar.name}>
                  {bar.values.map((value, part) => {
                    const below = bar.values.slice(0, part).reduce((sum, one) => sum + one, 0);
                    const { colour, hatched } = SERIES[part % SERIES.length] ?? SERIES[0];
                    return (
                      <Rect
                        key={part}
                        x={left}
                        y={y(below + value)}
                        width={x.bandwidth()}
                        height={y(below) - y(below + value)}
                        fill={hatched ? `url(#${hatch}-${part})` : colour}
                        stroke={hatched && value > 0 ? colour : undefined}
                      />
                    );
                  })}
                  {valued.has(index) && (
                    <text
                      x={left + x.bandwidth() / 2}
                      y={y(totalOf(bar)) - 6}
                      textAnchor="middle"
                      {...VALUE_LABEL}
                    >
                      {format(totalOf(bar))}
                    </text>
                  )}
                </g>
              );
            })}
            <BottomAxis
              scale={x}
              top={height}
              tickValues={[...labelled]}
              tickFormat={(index) => bars[Number(index)]?.short ?? ''}
            />
          </>
        );
      }}
    </Plot>
  );
}
