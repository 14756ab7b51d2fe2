import type { ReactNode } from 'react';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { countText, intervalText, proportionText } from '@/features/evaluations/model';
import type { Report } from '@/features/evaluations/queries';
import { countOf } from '@/lib/format';

type ReportProps = { report: Report };

/** Recall and precision of each type, the worst first. */
export function Labels({ report: { labels } }: ReportProps) {
  return (
    <TableCard
      title="Accuracy by type"
      description="Recall: of the photos of this type, those that were recognised. Precision: of the photos taken for this type, those that show it. With few photos, differences mean little."
      head={['Type', 'Recall', '95% interval', 'Precision']}
      rows={labels.map(({ label, recall, precision }) => [
        label,
        `${proportionText(recall)} (${countText(recall)})`,
        intervalText(recall),
        precision.total === 0 ? '–' : `${proportionText(precision)} (${countText(precision)})`,
      ])}
    />
  );
}

/** Pairs of label and wrong best guess, the most frequent first. */
export function Confusions({ report: { confusions } }: ReportProps) {
  return (
    <TableCard
      title="Confusions"
      head={['Label', 'Best guess', 'Photos']}
      rows={confusions.map(({ label, guess, count }) => [label, guess, String(count)])}
    />
  );
}

/** The verdicts on each type that the model does not know, the worst first. */
export function UnknownLabels({ report: { unknownLabels, unknownLabelCount } }: ReportProps) {
  const shown =
    unknownLabelCount > unknownLabels.length
      ? ` Here are the first ${unknownLabels.length}; the file of unknown types has all.`
      : '';
  return (
    <TableCard
      title="Rejection by unknown type"
      description={`Types that the model does not know, the worst first. “Taken for” is the most frequent best guess, with its number of photos, among those identified, or, if none is, among those not sure.${shown}`}
      head={['Type', 'Identified', '95% interval', 'Not sure', 'Not a part', 'Taken for']}
      rows={unknownLabels.map(
        ({ label, identified, notSure, notAPart, takenFor, takenForCount }) => [
          label,
          `${proportionText(identified)} (${countText(identified)})`,
          intervalText(identified),
          String(notSure),
          String(notAPart),
          takenFor === null ? '–' : `${takenFor} (${takenForCount})`,
        ],
      )}
    />
  );
}

/** Groups of photos, the worst first. */
export function Slices({ report: { slices } }: ReportProps) {
  return (
    <TableCard
      title="Slices"
      description="Groups of at least 5 photos, by properties of the pictures and by the columns of your list. “Worse” means less accurate than all other photos, at a false discovery rate of 5%."
      head={['Slice', 'Top-1 accuracy', '95% interval', 'All others']}
      rows={slices.map(({ dimension, value, right, others, isWorse }) => [
        <span key="group">
          {dimension}: {value} {isWorse && <Badge tone="warn">Worse</Badge>}
        </span>,
        `${proportionText(right)} (${countText(right)})`,
        intervalText(right),
        proportionText(others),
      ])}
    />
  );
}

/** Files that could not be read. */
export function Failures({ report: { failures, failureCount } }: ReportProps) {
  const shown = failureCount > failures.length ? ` Here are the first ${failures.length}.` : '';
  return (
    <TableCard
      title="Files that could not be read"
      description={`${countOf(failureCount, 'file')}, left out of all figures.${shown}`}
      head={['File', 'Reason']}
      rows={failures.map(({ path, reason }) => [path, reason])}
    />
  );
}

type TableCardProps = {
  title: string;
  description?: string;
  head: string[];
  rows: ReactNode[][];
};

/** A card with a table that scrolls by itself; nothing without rows. */
function TableCard({ title, description, head, rows }: TableCardProps) {
  if (rows.length === 0) return null;
  return (
    <SettingsCard title={title} description={description}>
      <div
        tabIndex={0}
        role="region"
        aria-label={`Table: ${title}`}
        className="max-h-96 overflow-auto rounded-md border"
      >
        <table className="w-full text-left text-sm">
          <thead className="sticky top-0 bg-raised text-xs text-muted">
            <tr>
              {head.map((name) => (
                <th key={name} scope="col" className="px-3 py-2 font-medium whitespace-nowrap">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y">
            {rows.map(([first, ...cells], index) => (
              <tr key={index} className="align-top">
                <th scope="row" className="min-w-28 px-3 py-2 font-medium wrap-anywhere">
                  {first}
                </th>
                {cells.map((cell, at) => (
                  <td key={at} className="px-3 py-2 text-soft tabular-nums sm:whitespace-nowrap">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </SettingsCard>
  );
}
