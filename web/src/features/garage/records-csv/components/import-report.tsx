import type { Schemas } from '@/api/client';
import { RowTable } from '@/components/row-table';
import { Notice } from '@/components/ui/notice';
import { formatName, rowsByNeed, statusOf, summaryOf } from '@/features/garage/records-csv/model';

type ImportReportProps = { result: Schemas['ImportResult'] };

/** What would become of each row, those that need a look first. */
export function ImportReport({ result }: ImportReportProps) {
  return (
    <section aria-labelledby="import-report-title" className="grid gap-3">
      <div role="status">
        <h3 id="import-report-title" className="text-sm font-medium">
          {summaryOf(result)}
        </h3>
        <p className="text-sm text-muted">Read as {formatName(result.format)}.</p>
      </div>
      {result.errors > 0 && (
        <Notice tone="bad" title="Nothing can be imported yet">
          Mend the rows below in the file and choose it again. A file is imported as a whole.
        </Notice>
      )}
      {result.notes.map((note) => (
        <p key={note} className="text-sm text-soft">
          {note}
        </p>
      ))}
      {result.ignoredColumns.length > 0 && (
        <p className="text-sm text-soft">Columns not read: {result.ignoredColumns.join(', ')}.</p>
      )}
      <RowTable
        label="Rows of the file"
        rows={rowsByNeed(result.rows).map((row) => ({ ...row, ...statusOf(row) }))}
      />
    </section>
  );
}
