import { ExternalLink } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { Badge } from '@/components/ui/badge';
import { componentText, RECALL_LOOKUP } from '@/lib/recalls';
import { formatDate } from '@/lib/format';

type RecallListProps = { recalls: Schemas['Recall'][]; label: string };

/** Recalls with number, date, component and remedy. */
export function RecallList({ recalls, label }: RecallListProps) {
  return (
    <ul aria-label={label} className="grid gap-3">
      {recalls.map((recall) => (
        <li
          key={recall.campaign}
          className="grid gap-1.5 rounded-md border bg-canvas/40 p-3.5 text-sm"
        >
          <p className="font-semibold wrap-anywhere">{componentText(recall.component)}</p>
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
            <span>
              {`Campaign ${recall.campaign}`}
              {recall.reportedOn !== null && `, ${formatDate(recall.reportedOn)}`}
            </span>
            {recall.doNotDrive && <Badge tone="bad">Do not drive</Badge>}
            {recall.parkOutside && <Badge tone="bad">Park outside</Badge>}
          </p>
          {recall.summary !== null && <p className="wrap-anywhere text-soft">{recall.summary}</p>}
          {recall.consequence !== null && (
            <p className="wrap-anywhere text-soft">{recall.consequence}</p>
          )}
          <p className="wrap-anywhere text-soft">
            <span className="font-medium text-ink">Remedy: </span>
            {recall.remedy ?? 'NHTSA states none yet.'}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** A recall is of a model; of one vehicle only the maker can say. */
export function AskByVin() {
  return (
    <p className="text-sm text-muted">
      Whether yours is affected, or was repaired, the maker says by its VIN:{' '}
      <a
        href={RECALL_LOOKUP}
        target="_blank"
        rel="noopener noreferrer"
        className="inline-flex items-center gap-1 font-medium text-accent hover:underline"
      >
        look it up at NHTSA
        <ExternalLink className="size-3.5" aria-hidden />
      </a>
    </p>
  );
}
