import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { Notice } from '@/components/ui/notice';
import { formatName, rowsByNeed, statusOf, summaryOf } from '@/features/records-csv/model';

/** More rows than a person reads would only make the page slow. */
const ROWS_SHOWN = 200;

type ImportReportProps = { result: Schemas['ImportResult'] };

/** What would become of each row, those that need a look first. */
export function ImportReport({ result }: ImportReportProps) {
  const rows = rowsByNeed(result.rows);
  const shown = rows.slice(0, ROWS_SHOWN);
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
      {shown.length > 0 && (
        <div
          tabIndex={0}
          role="region"
          aria-label="Rows of the file"
          className="max-h-64 overflow-y-auto rounded-md border"
        >
          <table className="w-full text-left text-sm">
            <thead className="sticky top-0 bg-raised text-xs text-muted">
              <tr>
                <th scope="col" className="px-3 py-2 font-medium">
                  Row
                </th>
                <th scope="col" className="px-3 py-2 font-medium">
                  Result
                </th>
                <th scope="col" className="w-full px-3 py-2 font-medium">
                  Note
                </th>
              </tr>
            </thead>
            <tbody className="divide-y">
              {shown.map((row) => {
                const { word, tone } = statusOf(row);
                return (
                  <tr key={row.row} className="align-top">
                    <td className="px-3 py-2 tabular-nums">{row.row}</td>
                    <td className="px-3 py-2">
                      <Badge tone={tone}>{word}</Badge>
                    </td>
                    <td className="px-3 py-2 wrap-anywhere text-soft">{row.message}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > shown.length && (
        <p className="text-sm text-muted">
          {rows.length - shown.length} more rows are not shown here.
        </p>
      )}
    </section>
  );
}
