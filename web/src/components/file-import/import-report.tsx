import { useId } from 'react';
import { rowsByNeed, type Report } from '@/components/file-import/model';
import { RowTable, type RowLook } from '@/components/row-table';
import { Notice } from '@/components/ui/notice';

type ImportReportProps = {
  report: Report;
  summary: string;
  /** What a file of each format is called. */
  formats: Record<string, string>;
  statuses: Record<string, RowLook>;
};

/** What would become of each row, those that need a look first. */
export function ImportReport({ report, summary, formats, statuses }: ImportReportProps) {
  const { format, errors, notes = [], ignoredColumns, rows } = report;
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="grid gap-3">
      <div role="status">
        <h3 id={titleId} className="text-sm font-medium">
          {summary}
        </h3>
        <p className="text-sm text-muted">Read as {formats[format] ?? format}.</p>
      </div>
      {errors > 0 && (
        <Notice tone="bad" title="Nothing can be imported yet">
          Correct the rows below in the file, then choose the file again. A file is imported as a
          whole.
        </Notice>
      )}
      {notes.map((note) => (
        <p key={note} className="text-sm text-soft">
          {note}
        </p>
      ))}
      {ignoredColumns.length > 0 && (
        <p className="text-sm text-soft">Columns not read: {ignoredColumns.join(', ')}.</p>
      )}
      <RowTable
        label="Rows of the file"
        rows={rowsByNeed(rows).flatMap(({ row, status, message }) => {
          const look = statuses[status];
          return look === undefined ? [] : { row, message: message ?? '', ...look };
        })}
      />
    </section>
  );
}
