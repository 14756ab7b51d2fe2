import type { ReactNode } from 'react';
import { SettingsCard } from '@/components/settings-card';
import { Badge } from '@/components/ui/badge';
import { countText, intervalText, proportionText } from '@/features/evaluations/model';
import type { Report } from '@/features/evaluations/queries';
import { countOf } from '@/lib/format';

type ReportProps = { report: Report };

/** Recall and precision of each type, the worst first. */
export function Labels({ report: { labels } }: ReportProps) {
  if (labels.length === 0) return null;
  return (
    <SettingsCard
      title="Accuracy by type"
      description="Recall: of the photos of this type, those that were recognised. Precision: of the photos taken for this type, those that show it. With few photos, differences mean little."
    >
      <Table
        label="Accuracy by type"
        head={['Type', 'Recall', '95% interval', 'Precision']}
        rows={labels.map(({ label, recall, precision }) => [
          label,
          `${proportionText(recall)} (${countText(recall)})`,
          intervalText(recall),
          precision.total === 0 ? '–' : `${proportionText(precision)} (${countText(precision)})`,
        ])}
      />
    </SettingsCard>
  );
}

/** Pairs of label and wrong best guess, the most frequent first. */
export function Confusions({ report: { confusions } }: ReportProps) {
  if (confusions.length === 0) return null;
  return (
    <SettingsCard title="Confusions">
      <Table
        label="Confusions"
        head={['Label', 'Best guess', 'Photos']}
        rows={confusions.map(({ label, guess, count }) => [label, guess, String(count)])}
      />
    </SettingsCard>
  );
}

/** Groups of photos, the worst first. */
export function Slices({ report: { slices } }: ReportProps) {
  if (slices.length === 0) return null;
  return (
    <SettingsCard
      title="Slices"
      description="Groups of at least 5 photos, by properties of the pictures and by the columns of your list. “Worse” means less accurate than all other photos, at a false discovery rate of 5%."
    >
      <Table
        label="Slices"
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
    </SettingsCard>
  );
}

/** Files that could not be read. */
export function Failures({ report: { failures, failureCount } }: ReportProps) {
  if (failures.length === 0) return null;
  const shown = failureCount > failures.length ? ` Here are the first ${failures.length}.` : '';
  return (
    <SettingsCard
      title="Files that could not be read"
      description={`${countOf(failureCount, 'file')}, left out of all figures.${shown}`}
    >
      <Table
        label="Files that could not be read"
        head={['File', 'Reason']}
        rows={failures.map(({ path, reason }) => [path, reason])}
      />
    </SettingsCard>
  );
}

type TableProps = { label: string; head: string[]; rows: ReactNode[][] };

/** A table that scrolls by itself. */
function Table({ label, head, rows }: TableProps) {
  return (
    <div
      tabIndex={0}
      role="region"
      aria-label={`Table: ${label}`}
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
  );
}
