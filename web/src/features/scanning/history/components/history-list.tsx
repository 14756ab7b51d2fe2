import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { RefObject } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { DeleteButton } from '@/components/delete-button';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { QueryState } from '@/components/query-state';
import { ScansExport } from '@/components/scan-filters';
import { LoadMore } from '@/components/load-more';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Notice } from '@/components/ui/notice';
import { useToast } from '@/components/ui/use-toast';
import { paths } from '@/config/paths';
import { ClearAll } from '@/features/scanning/history/components/clear-all';
import { ScanList } from '@/features/scanning/history/components/scan-list';
import { correctionOf } from '@/features/scanning/history/correction';
import { historyMutations } from '@/features/scanning/history/mutations';
import { scanQueries, type HistoryFilter } from '@/features/scanning/history/queries';
import { useBatchLoss } from '@/features/scanning/history/use-batch-loss';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { countOf, formatScanTime } from '@/lib/format';

type HistoryListProps = {
  filter: HistoryFilter;
  /** The vehicle of the filter, if it has one. */
  vehicle: { id: string; name: string } | null;
  /** Takes the focus when what had it is gone. */
  heading: RefObject<HTMLHeadingElement | null>;
  /** The scan whose answer stands beside the list; null where none is open. */
  openedId: string | null;
  onOpen: (id: string) => void;
  onRemove: (id: string) => void;
  onClearFilter: () => void;
};

export function HistoryList({
  filter,
  vehicle,
  heading,
  openedId,
  onOpen,
  onRemove,
  onClearFilter,
}: HistoryListProps) {
  const history = useInfiniteQuery(scanQueries.history(filter));
  const remove = useRemoval();
  const batchLoss = useBatchLoss('scan');
  const scans = history.data?.pages.flatMap((page) => page?.scans ?? []) ?? [];
  const hidden = history.data?.pages[0]?.hiddenByPlan ?? 0;
  const filtered = filter.search !== '' || filter.vehicleId !== null || filter.category !== null;
  // The server clears all scans or those of one vehicle, never the matches of a search.
  const clearable =
    filter.search === '' && filter.category === null && filter.vehicleId === (vehicle?.id ?? null);
  // Which of the hidden scans are of the vehicle is not known here.
  const complete = !history.hasNextPage && (vehicle === null || hidden === 0);
  return (
    <Card aria-labelledby="history-title" className="grid grid-cols-1 content-start gap-4">
      <header className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id="history-title" ref={heading} tabIndex={-1} className="section-title">
          Scan History
        </h2>
        {scans.length > 0 && (
          <div className="flex gap-1">
            <ScansExport />
            {clearable && (
              <ClearAll
                vehicle={vehicle}
                count={complete ? scans.length + hidden : null}
                heading={heading}
              />
            )}
          </div>
        )}
      </header>
      <QueryState query={history} what="Scans" label="Loading scans" />
      {/* The screen is the same before and after a search for whoever does not see it. */}
      <p role="status" className="sr-only">
        {filtered && history.data !== undefined && foundText(scans.length, history.hasNextPage)}
      </p>
      {history.data !== undefined && scans.length === 0 && filtered && (
        <EmptyState
          picture={<EmptyShelf />}
          title="No scan fits"
          action={
            <Button size="small" onClick={onClearFilter}>
              Show all scans
            </Button>
          }
        >
          Try other words, another vehicle or another category.
        </EmptyState>
      )}
      {history.data !== undefined && scans.length === 0 && !filtered && (
        <EmptyState picture={<EmptyShelf />} title="No scans yet">
          Start scanning car parts to see your history here
        </EmptyState>
      )}
      {scans.length > 0 && (
        <ScanList
          scans={scans}
          withVehicle
          openedId={openedId}
          onOpen={({ id }) => onOpen(id)}
          actionOf={(scan) => (
            <DeleteButton
              label={`Delete ${nameOf(scan)}, ${formatScanTime(scan.scannedAt)}`}
              title="Delete this scan?"
              description={`${nameOf(scan)}, ${formatScanTime(scan.scannedAt)}, goes for good with its picture.${batchLoss} Scans that were used stay used.`}
              confirmLabel="Delete"
              pending={remove.isPending}
              focusOnConfirm={heading}
              onConfirm={() => {
                const removed = remove.mutateAsync(scan.id);
                onRemove(scan.id);
                return removed;
              }}
            />
          )}
        />
      )}
      <LoadMore query={history} />
      {hidden > 0 && <HiddenByPlan hidden={hidden} />}
    </Card>
  );
}

function foundText(count: number, more: boolean): string {
  if (count === 0) return 'Nothing was found.';
  return `${more ? 'More than ' : ''}${countOf(count, 'scan')} found.`;
}

function nameOf(scan: Schemas['RecentScan']): string {
  return correctionOf(scan) ?? scan.part.name;
}

function HiddenByPlan({ hidden }: { hidden: number }) {
  return (
    <Notice
      tone="info"
      title={`${countOf(hidden, 'older scan')} not shown`}
      action={
        <Button asChild size="small">
          <Link to={paths.pricing}>See Plans</Link>
        </Button>
      }
    >
      Basic shows the last 5 scans. Nothing is lost: Pro and Business show them all.
    </Notice>
  );
}

function useRemoval() {
  const toast = useToast();
  const fail = useFailureToast();
  return useMutation({
    mutationFn: historyMutations.remove,
    onSuccess: () => toast({ title: 'Scan deleted', description: 'The scan has been removed.' }),
    onError: (error) => fail(error, 'Failed to delete the scan. Please try again.'),
  });
}
