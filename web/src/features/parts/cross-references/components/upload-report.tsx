import { useEffect, useRef } from 'react';
import type { Schemas } from '@/api/client';
import { RowTable } from '@/components/row-table';
import { problemText, sentenceOfRow, summaryOf } from '@/features/parts/cross-references/model';

type UploadReportProps = { report: Schemas['CrossReferenceReport'] };

/** What an upload would do: how many rows, the first ones as understood, and what is wrong. */
export function UploadReport({ report }: UploadReportProps) {
  const section = useRef<HTMLElement>(null);
  // On a phone it comes below the columns, out of sight of the button that asked for it.
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
  }, [report]);
  const { delimiter, columns, ignoredColumns, preview, problems } = report;
  return (
    <section ref={section} aria-labelledby="cross-report-title" className="grid gap-3">
      <div role="status" className="grid gap-1 text-sm text-soft">
        <h3 id="cross-report-title" className="font-medium text-ink">
          {summaryOf(report)}
        </h3>
        <p className="text-muted">
          Read with {delimiter ?? 'an unknown sign'} between columns. Columns read:{' '}
          {Object.values(columns).join(', ')}.
          {ignoredColumns.length > 0 && ` Not read: ${ignoredColumns.join(', ')}.`}
        </p>
      </div>
      {preview.length > 0 && (
        <ul aria-label="First rows" className="grid gap-1 rounded-md border p-3 text-sm">
          {preview.map((row) => (
            <li key={row.row} className="wrap-anywhere text-soft">
              {sentenceOfRow(row)}
            </li>
          ))}
        </ul>
      )}
      <RowTable
        label="Rows to look at"
        rows={problems.map(({ row, field, message }) => ({
          row,
          message: problemText(field, message),
          word: 'Error',
          tone: 'bad',
        }))}
      />
    </section>
  );
}
