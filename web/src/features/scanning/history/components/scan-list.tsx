import { ScanLine } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { categoryName } from '@/api/part-category';
import { Badge } from '@/components/ui/badge';
import { correctionOf } from '@/features/scanning/history/correction';
import { MatchBadge } from '@/features/scanning/result/components/match-badge';
import { formatEstimate, formatPercent, formatScanTime, vehicleName } from '@/lib/format';

type RecentScan = Schemas['RecentScan'];
type ScanListProps = {
  scans: RecentScan[];
  onOpen: (scan: RecentScan) => void;
  /** The scan whose answer stands beside the list. */
  openedId?: string | null;
  /** Whether each row says for which vehicle it was. */
  withVehicle?: boolean;
  /** What stands at the end of each row. */
  actionOf?: (scan: RecentScan) => ReactNode;
};

/** Where the focus goes when the scan that was opened from a row is closed. */
export const scanRowId = (id: string) => `scan-${id}`;

export function ScanList({
  scans,
  onOpen,
  openedId = null,
  withVehicle = false,
  actionOf,
}: ScanListProps) {
  return (
    <ul className="-mx-2 grid grid-cols-1 gap-1">
      {scans.map((scan) => {
        const correction = correctionOf(scan);
        return (
          <li key={scan.id} className="flex items-center gap-1">
            <button
              id={scanRowId(scan.id)}
              type="button"
              aria-current={scan.id === openedId}
              onClick={() => onOpen(scan)}
              className="flex min-w-0 flex-1 items-center gap-3 rounded-md p-2 text-left hover:bg-hover aria-[current=true]:bg-raised"
            >
              <Thumbnail url={scan.thumbnailUrl} />
              <span className="grid min-w-0 flex-1 gap-1">
                <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <bdi className="font-medium wrap-anywhere">{correction ?? scan.part.name}</bdi>
                  {correction === null ? (
                    <MatchBadge confidence={scan.confidence} verdict={scan.verdict} />
                  ) : (
                    <Badge tone="good">Corrected</Badge>
                  )}
                </span>
                <span className="flex flex-wrap gap-x-3 text-sm text-muted">
                  {/* The category and the price are those of the part that it is not. */}
                  {correction === null && (
                    <span className="min-w-0">
                      {scan.part.category === null
                        ? 'No longer in the catalogue'
                        : categoryName(scan.part.category)}
                      {scan.rolledUp !== null &&
                        `, ${formatPercent(scan.rolledUp.confidence)} sure`}
                    </span>
                  )}
                  <span>{formatScanTime(scan.scannedAt)}</span>
                  {scan.photoCount > 1 && <span>{scan.photoCount} photos</span>}
                  {correction === null && (
                    <span>
                      <span aria-hidden>Est. price</span>
                      <span className="sr-only">Estimated average price</span>{' '}
                      {scan.part.averagePrice === null
                        ? 'N/A'
                        : formatEstimate(scan.part.averagePrice)}
                    </span>
                  )}
                  {withVehicle && scan.vehicle !== null && (
                    <span className="wrap-anywhere">{vehicleName(scan.vehicle)}</span>
                  )}
                </span>
              </span>
            </button>
            {actionOf?.(scan)}
          </li>
        );
      })}
    </ul>
  );
}

/** A small picture of the photo, or a sign in its place where none is kept. */
function Thumbnail({ url }: { url: string | null }) {
  const frame = 'size-14 shrink-0 rounded-md border bg-canvas';
  return url ? (
    <img src={url} alt="" loading="lazy" className={`${frame} object-cover`} />
  ) : (
    <span className={`${frame} grid place-items-center text-muted`}>
      <ScanLine className="size-5" aria-hidden />
    </span>
  );
}
