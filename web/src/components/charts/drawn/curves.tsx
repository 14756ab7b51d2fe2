import { scaleLinear } from '@visx/scale';
import { LinePath } from '@visx/shape';
import { BottomAxis, LeftAxis, Plot } from '@/components/charts/drawn/plot';
import { shownLabels, type CurvePoint } from '@/components/charts/model';
import { marginFor, SERIES } from '@/components/charts/theme';

type CurvesProps = { points: CurvePoint[]; format: (value: number) => string };

const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Pixels that the label of a mark takes with the gap beside it. */
const LABEL_ROOM = 58;

/** The second curve is dashed, so that no colour is needed to tell the two apart. */
export function Curves({ points, format }: CurvesProps) {
  return (
    <Plot margin={marginFor(TICKS.map(format))}>
      {(width, height) => {
        const x = scaleLinear({ domain: [0, Math.max(points.length - 1, 1)], range: [0, width] });
        const y = scaleLinear({ domain: [0, 1], range: [height, 0] });
        return (
          <>
            <LeftAxis scale={y} width={width} ticks={TICKS} format={format} />
            <BottomAxis
              scale={x}
              top={height}
              tickValues={[...shownLabels(points.length, width, LABEL_ROOM)]}
              tickFormat={(tick) => points[Number(tick)]?.name ?? ''}
            />
            {SERIES.map(({ colour, hatched }, series) => (
              <LinePath
                key={colour}
                data={points}
                x={(_, index) => x(index)}
                y={({ values }) => y(values[series] ?? 0)}
                stroke={colour}
                strokeWidth={2}
                strokeDasharray={hatched ? '5 4' : undefined}
              />
            ))}
          </>
        );
      }}
    </Plot>
  );
}
