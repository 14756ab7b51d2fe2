import { AxisBottom, AxisLeft } from '@visx/axis';
import { GridRows } from '@visx/grid';
import { useParentSize } from '@visx/responsive';
import type { ComponentProps, ReactNode } from 'react';
import {
  AXIS,
  CHART_HEIGHT,
  GRID_STROKE,
  MARGIN,
  TICK_LABEL_BOTTOM,
  TICK_LABEL_LEFT,
} from '@/components/charts/theme';

const UNUSED: ('height' | 'top' | 'left')[] = ['height', 'top', 'left'];

type PlotProps = {
  height?: number;
  margin?: { top: number; right: number; bottom: number; left: number };
  /** Draws in what the axes leave, both in pixels. */
  children: (width: number, height: number) => ReactNode;
};

/** As wide as its place, so that letters are never scaled. What it says, its figure says in words. */
export function Plot({ height = CHART_HEIGHT, margin = MARGIN, children }: PlotProps) {
  const { parentRef, width } = useParentSize({ debounceTime: 50, ignoreDimensions: UNUSED });
  const inner = width - margin.left - margin.right;
  return (
    <div ref={parentRef} className="h-full w-full">
      {inner > 0 && (
        <svg width={width} height={height} aria-hidden className="block">
          <g transform={`translate(${margin.left} ${margin.top})`}>
            {children(inner, height - margin.top - margin.bottom)}
          </g>
        </svg>
      )}
    </div>
  );
}

type LeftAxisProps = {
  scale: ComponentProps<typeof GridRows>['scale'];
  width: number;
  /** Where its lines are; left out, about four of them. */
  ticks?: number[];
  format: (value: number) => string;
};

/** The values at the left, with a line across for each. */
export function LeftAxis({ scale, width, ticks, format }: LeftAxisProps) {
  const lines = ticks === undefined ? { numTicks: 4 } : { tickValues: ticks };
  return (
    <>
      <GridRows scale={scale} width={width} stroke={GRID_STROKE} {...lines} />
      <AxisLeft
        {...AXIS}
        {...lines}
        scale={scale}
        tickFormat={(tick) => format(Number(tick))}
        tickLabelProps={TICK_LABEL_LEFT}
      />
    </>
  );
}

/** What stands below. */
export function BottomAxis(props: ComponentProps<typeof AxisBottom>) {
  return <AxisBottom {...AXIS} tickLabelProps={TICK_LABEL_BOTTOM} {...props} />;
}
