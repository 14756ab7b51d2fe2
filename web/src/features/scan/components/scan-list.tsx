import { ChevronRight } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { MatchBadge } from '@/features/scan/components/match-badge';
import { categoryName, formatEstimate, formatPercent, formatScanTime } from '@/lib/format';

type RecentScan = Schemas['RecentScan'];
type ScanListProps = { scans: RecentScan[]; onOpen: (scan: RecentScan) => void };

export function ScanList({ scans, onOpen }: ScanListProps) {
  return (
    <ul className="-mx-2 grid gap-1">
      {scans.map((scan) => (
        <li key={scan.id}>
          <button
            type="button"
            onClick={() => {
              onOpen(scan);
            }}
            className="flex w-full items-center gap-3 rounded-md p-2 text-left hover:bg-hover"
          >
            <span className="grid min-w-0 flex-1 gap-1">
              <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <span className="font-medium">{scan.part.name}</span>
                <MatchBadge confidence={scan.confidence} verdict={scan.verdict} />
              </span>
              <span className="flex flex-wrap gap-x-3 text-sm text-muted">
                <span>
                  {categoryName(scan.part.category)}
                  {scan.rolledUp !== null && `, ${formatPercent(scan.rolledUp.confidence)} sure`}
                </span>
                <span>{formatScanTime(scan.scannedAt)}</span>
                <span>
                  <span aria-hidden>Est. price</span>
                  <span className="sr-only">Estimated average price</span>{' '}
                  {scan.part.averagePrice === null ? 'N/A' : formatEstimate(scan.part.averagePrice)}
                </span>
              </span>
            </span>
            <ChevronRight className="size-5 shrink-0 text-muted" aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}
