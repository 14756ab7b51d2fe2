import { scaleLinear } from '@visx/scale';
import { Circle, Line, LinePath } from '@visx/shape';
import { BottomAxis, LeftAxis, Plot } from '@/components/charts/drawn/plot';
import { labelRises, type ChartAxis, type RangePoint } from '@/components/charts/model';
import { AXIS_NAME, LINE_STROKE, QUIET, VALUE_LABEL } from '@/components/charts/theme';

type RangesProps = {
  height: number;
  points: RangePoint[];
  across: ChartAxis;
  up: ChartAxis;
  format: (value: number) => string;
};

/** Room for the names of the axes as well. */
const MARGIN = { top: 46, right: 24, bottom: 56, left: 52 };

export function Ranges({ height: whole, points, across, up, format }: RangesProps) {
  return (
    <Plot height={whole} margin={MARGIN}>
      {(width, height) => {
        const x = scaleLinear({ domain: [across.from, across.to], range: [0, width] });
        const y = scaleLinear({ domain: [up.from, up.to], range: [height, 0] });
        const rises = labelRises(
          points.map(({ label, across: at, up: share }) => ({ label, x: x(at), y: y(share) })),
        );
        return (
          <>
            <LeftAxis scale={y} width={width} ticks={up.ticks} format={format} />
            <BottomAxis
              scale={x}
              top={height}
              tickValues={across.ticks}
              tickFormat={(tick) => format(Number(tick))}
            />
            <text x={8 - MARGIN.left} y={18 - MARGIN.top} {...AXIS_NAME}>
              {up.name}
            </text>
            <text x={width / 2} y={height + MARGIN.bottom - 10} textAnchor="middle" {...AXIS_NAME}>
              {across.name}
            </text>
            <LinePath
              data={points}
              x={(point) => x(point.across)}
              y={(point) => y(point.up)}
              stroke={QUIET}
              strokeDasharray="3 4"
            />
            {points.map((point, index) => {
              const colour = point.bright ? LINE_STROKE : QUIET;
              const left = x(point.across);
              return (
                <g key={point.label}>
                  <Line
                    from={{ x: left, y: y(point.up) }}
                    to={{ x: left, y: y(point.upAtLeast) }}
                    stroke={colour}
                    strokeWidth={point.bright ? 3 : 2}
                  />
                  <Circle cx={left} cy={y(point.up)} r={point.bright ? 7 : 5} fill={colour} />
                  <text
                    x={left}
                    y={y(point.up) - 12 - (rises[index] ?? 0)}
                    textAnchor="middle"
                    {...VALUE_LABEL}
                    fill={point.bright ? LINE_STROKE : VALUE_LABEL.fill}
                  >
                    {point.label}
                  </text>
                </g>
              );
            })}
          </>
        );
      }}
    </Plot>
  );
}
