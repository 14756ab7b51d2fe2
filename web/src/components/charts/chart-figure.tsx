import { Suspense, useId, type ReactNode } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { CHART_HEIGHT } from '@/components/charts/theme';
import type { Figures } from '@/components/charts/model';

type ChartFigureProps = {
  title: string;
  /** Whether the title stands above the chart; the table has it either way. */
  titled?: boolean;
  /** The chart in words, for those who do not see it. */
  summary: string;
  caption?: string | undefined;
  legend?: ReactNode;
  figures: Figures;
  height?: number;
  children: ReactNode;
};

/**
 * A chart with its name, and what it shows as a table. The drawing comes with a library that is
 * loaded for it; its room is kept until then.
 */
export function ChartFigure({
  title,
  titled = true,
  summary,
  caption,
  legend,
  figures,
  height = CHART_HEIGHT,
  children,
}: ChartFigureProps) {
  const id = useId();
  return (
    <figure
      className="grid min-w-0 grid-cols-1 content-start gap-2"
      aria-labelledby={titled ? `${id}-title` : undefined}
    >
      {titled && (
        <h3 id={`${id}-title`} className="text-sm font-medium text-soft">
          {title}
        </h3>
      )}
      <div className="min-w-0 overflow-hidden rounded-md border bg-canvas" style={{ height }}>
        {/* Within the picture nobody would be told that there is none. */}
        <ErrorBoundary what="The chart" fallback={<NotDrawn />}>
          <div
            role="img"
            aria-label={summary}
            aria-describedby={caption === undefined ? undefined : `${id}-caption`}
            className="h-full"
          >
            <Suspense fallback={null}>{children}</Suspense>
          </div>
        </ErrorBoundary>
      </div>
      {legend}
      {caption !== undefined && (
        <figcaption id={`${id}-caption`} className="text-xs text-muted">
          {caption}
        </figcaption>
      )}
      <FigureTable title={title} figures={figures} />
    </figure>
  );
}

function NotDrawn() {
  return (
    <p className="grid h-full place-items-center p-4 text-center text-sm text-muted">
      The chart could not be loaded. The figures say the same.
    </p>
  );
}

type FigureTableProps = { title: string; figures: Figures };

function FigureTable({ title, figures: { head, rows } }: FigureTableProps) {
  return (
    <details className="text-sm">
      <summary className="w-fit cursor-pointer rounded-sm py-1 font-medium text-soft">
        {/* More than one chart may stand on a screen. */}
        Figures<span className="sr-only"> of {title}</span>
      </summary>
      <div
        role="region"
        aria-label={`Figures of ${title}`}
        // Scrolling by keyboard needs something to hold the focus.
        tabIndex={0}
        className="mt-1 max-h-72 overflow-auto rounded-md border"
      >
        <table className="w-full text-left max-sm:text-xs">
          <thead className="sticky top-0 bg-raised text-xs text-muted">
            <tr>
              {head.map((name, column) => (
                <th
                  key={name}
                  scope="col"
                  className={`px-1.5 py-2 sm:px-3 font-medium ${column > 0 ? 'text-right' : ''}`}
                >
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {rows.map(([name, ...values], row) => (
              // Two may be of one name, such as a day.
              <tr key={row}>
                <th scope="row" className="px-1.5 py-2 sm:px-3 font-normal">
                  {name}
                </th>
                {values.map((value, column) => (
                  <td key={column} className="px-1.5 py-2 sm:px-3 text-right tabular-nums">
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
