import { useQuery } from '@tanstack/react-query';
import { Suspense, type RefObject } from 'react';
import { EmptyShelf } from '@/components/empty-shelf';
import { EmptyState } from '@/components/empty-state';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { QueryState } from '@/components/query-state';
import { Card } from '@/components/ui/card';
import { ScanList } from '@/features/scanning/history/components/scan-list';
import { scanQueries } from '@/features/scanning/history/queries';
import type { ScanView } from '@/features/scanning/result/scan-view';

// It asks a question, and a dialog is much for a first load.
const ClearAll = lazyComponent(
  async () => (await import('@/features/scanning/history/components/clear-all')).ClearAll,
);

type ScanHistoryProps = {
  /** The vehicle whose scans are listed, or null for all scans. */
  vehicle: { id: string; name: string } | null;
  /** Takes the focus when what had it is gone: a closed result, or the cleared list. */
  heading: RefObject<HTMLHeadingElement | null>;
  onOpen: (view: ScanView) => void;
};

export function ScanHistory({ vehicle, heading, onOpen }: ScanHistoryProps) {
  const scans = useQuery(scanQueries.recent(vehicle?.id ?? null));
  return (
    <Card aria-labelledby="history-title" className="grid content-start gap-4">
      <header className="flex min-h-9 items-center justify-between gap-3">
        <h2 id="history-title" ref={heading} tabIndex={-1} className="section-title">
          Scan History
        </h2>
        {scans.data != null && scans.data.length > 0 && (
          <ErrorBoundary what="Clear All" fallback={null}>
            <Suspense fallback={null}>
              <ClearAll vehicle={vehicle} count={null} heading={heading} />
            </Suspense>
          </ErrorBoundary>
        )}
      </header>
      <QueryState query={scans} what="Scans" label="Loading scans" />
      {(scans.data === null || scans.data?.length === 0) && (
        <EmptyState picture={<EmptyShelf />} title="No scans yet">
          Start scanning car parts to see your history here
        </EmptyState>
      )}
      {scans.data != null && scans.data.length > 0 && (
        <ScanList scans={scans.data} onOpen={onOpen} />
      )}
    </Card>
  );
}
