import { useParentSize } from '@visx/responsive';
import type { ReactNode } from 'react';
import { CHART_HEIGHT, MARGIN } from '@/components/charts/theme';

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
