import { useEffect, useRef } from 'react';
import type { Schemas } from '@/api/client';
import { RowTable } from '@/components/row-table';
import { problemRows, summaryOf } from '@/features/parts/price-lists/model';
import { formatCount, formatPrice } from '@/lib/format';

type UploadReportProps = { report: Schemas['PriceListReport'] };

/** What an upload would do: counts, the first rows as understood, and what is wrong. */
export function UploadReport({ report }: UploadReportProps) {
  const section = useRef<HTMLElement>(null);
  // On a phone it comes below the columns, out of sight of the button that asked for it.
  useEffect(() => {
    section.current?.scrollIntoView({ block: 'start' });
  }, [report]);
  const { unknownParts, currencies, delimiter, decimalSign, columns, ignoredColumns } = report;
  const rowsBy = Object.entries(currencies).map(([code, rows]) => `${formatCount(rows)} ${code}`);
  return (
    <section ref={section} aria-labelledby="list-report-title" className="grid gap-3">
      <div role="status" className="grid gap-1 text-sm text-soft">
        <h3 id="list-report-title" className="font-medium text-ink">
          {summaryOf(report)}
        </h3>
        {rowsBy.length > 0 && <p>Prices by currency: {rowsBy.join(', ')}.</p>}
        {unknownParts > 0 && (
          <p>
            {formatCount(unknownParts)} of them name no part known here and have no number: nobody
            will find these.
          </p>
        )}
        <p className="text-muted">
          Read with {delimiter ?? 'an unknown sign'} between columns
          {decimalSign !== null && ` and a ${decimalSign} before decimals`}. Columns read:{' '}
          {Object.values(columns).join(', ')}.
          {ignoredColumns.length > 0 && ` Not read: ${ignoredColumns.join(', ')}.`}
        </p>
      </div>
      {report.preview.length > 0 && (
        <ul aria-label="First rows" className="grid gap-1 rounded-md border p-3 text-sm">
          {report.preview.map(({ row, part, partNumber, price, currency, knownPart }) => (
            <li key={row} className="flex flex-wrap justify-between gap-x-3">
              <span className="min-w-0 wrap-anywhere text-soft">
                {[part, partNumber].filter(Boolean).join(', ')}
                {!knownPart && partNumber === null && (
                  <span className="text-warn"> (not known here)</span>
                )}
              </span>
              <span className="tabular-nums">{formatPrice(price, currency)}</span>
            </li>
          ))}
        </ul>
      )}
      <RowTable label="Rows to look at" rows={problemRows(report)} />
    </section>
  );
}
