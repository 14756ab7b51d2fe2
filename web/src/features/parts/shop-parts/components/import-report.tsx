import type { Schemas } from '@/api/client';
import { RowTable } from '@/components/row-table';
import { Notice } from '@/components/ui/notice';
import { formatName, ROW_STATUS, rowsByNeed, summaryOf } from '@/features/parts/shop-parts/model';

type ImportReportProps = { report: Schemas['ShopPartsImport'] };

/** What would become of each row, those that need a look first. */
export function ImportReport({ report }: ImportReportProps) {
  const rows = rowsByNeed(report.rows).map(({ row, status, message }) => ({
    row,
    message: message ?? '',
    ...ROW_STATUS[status],
  }));
  return (
    <section aria-labelledby="parts-report-title" className="grid gap-3">
      <div role="status">
        <h3 id="parts-report-title" className="text-sm font-medium">
          {summaryOf(report)}
        </h3>
        <p className="text-sm text-muted">Read as {formatName(report.format)}.</p>
      </div>
      {report.errors > 0 && (
        <Notice tone="bad" title="Nothing can be imported yet">
          Mend the rows below in the file and choose it again. A file is imported as a whole.
        </Notice>
      )}
      {report.ignoredColumns.length > 0 && (
        <p className="text-sm text-soft">Columns not read: {report.ignoredColumns.join(', ')}.</p>
      )}
      <RowTable label="Rows of the file" rows={rows} />
    </section>
  );
}
