import { Badge } from '@/components/ui/badge';

/** More rows than a person reads would only make the page slow. */
const ROWS_SHOWN = 200;

/** What became of a row, in a word. */
export type RowLook = {
  word: string;
  tone: 'good' | 'primary' | 'neutral' | 'outline' | 'warn' | 'bad';
};

type ReportRow = RowLook & { row: number; message?: string };

type RowTableProps = { label: string; rows: ReportRow[] };

/** What became of the rows of a file, or would. */
export function RowTable({ label, rows }: RowTableProps) {
  if (rows.length === 0) return null;
  const hidden = rows.length - ROWS_SHOWN;
  return (
    <>
      <div
        tabIndex={0}
        role="region"
        aria-label={label}
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
            {rows.slice(0, ROWS_SHOWN).map(({ row, word, tone, message }, index) => (
              <tr key={index} className="align-top">
                <td className="px-3 py-2 tabular-nums">{row}</td>
                <td className="px-3 py-2">
                  <Badge tone={tone}>{word}</Badge>
                </td>
                <td className="px-3 py-2 wrap-anywhere text-soft">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hidden > 0 && <p className="text-sm text-muted">{hidden} more rows are not shown here.</p>}
    </>
  );
}
