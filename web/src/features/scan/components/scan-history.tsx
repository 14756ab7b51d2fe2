import { useMutation, useQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { RefObject } from 'react';
import { sentenceOf } from '@/api/api-error';
import { EmptyState } from '@/components/empty-state';
import { LoadFailure } from '@/components/load-failure';
import { EmptyShelf } from '@/components/pictures';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { LoadingBlock } from '@/components/ui/skeleton';
import { useToast } from '@/components/ui/use-toast';
import { ScanList } from '@/features/scan/components/scan-list';
import { scanMutations } from '@/features/scan/mutations';
import { scanQueries } from '@/features/scan/queries';
import { viewOfRecent, type ScanView } from '@/features/scan/scan-view';

type ScanHistoryProps = {
  /** The vehicle whose scans are listed, or null for all scans. */
  vehicle: { id: string; name: string } | null;
  limit: number;
  /** Takes the focus when what had it is gone: a closed result, or the cleared list. */
  heading: RefObject<HTMLHeadingElement | null>;
  onOpen: (view: ScanView) => void;
};

export function ScanHistory({ vehicle, limit, heading, onOpen }: ScanHistoryProps) {
  const scans = useQuery(scanQueries.recent(limit, vehicle?.id ?? null));
  return (
    <Card aria-labelledby="history-title" className="grid content-start gap-4">
      <header className="flex min-h-9 items-center justify-between gap-3">
        <h2 id="history-title" ref={heading} tabIndex={-1} className="section-title">
          Scan History
        </h2>
        {scans.data != null && scans.data.length > 0 && (
          <ClearAll vehicle={vehicle} heading={heading} />
        )}
      </header>
      {scans.isPending && <LoadingBlock label="Loading scans" />}
      {scans.isLoadingError && (
        <LoadFailure what="Scans" error={scans.error} onRetry={() => void scans.refetch()} />
      )}
      {(scans.data === null || scans.data?.length === 0) && (
        <EmptyState picture={<EmptyShelf />} title="No scans yet">
          Start scanning car parts to see your history here
        </EmptyState>
      )}
      {scans.data != null && scans.data.length > 0 && (
        <ScanList
          scans={scans.data}
          onOpen={(scan) => {
            onOpen(viewOfRecent(scan));
          }}
        />
      )}
    </Card>
  );
}

type ClearAllProps = Pick<ScanHistoryProps, 'vehicle' | 'heading'>;

function ClearAll({ vehicle, heading }: ClearAllProps) {
  const toast = useToast();
  const clear = useMutation({
    ...scanMutations.clearHistory(),
    onSuccess: () => {
      toast({ title: 'History cleared', description: 'The scans have been removed.' });
    },
    onError: (error) => {
      toast({
        title: 'Error',
        description: sentenceOf(error, 'Failed to clear the history. Please try again.'),
        tone: 'bad',
      });
    },
  });
  return (
    <ConfirmDialog
      trigger={
        <Button look="ghost" size="small" disabled={clear.isPending}>
          <Trash2 className="size-4" aria-hidden />
          Clear All
        </Button>
      }
      title="Clear scan history?"
      description={`All scans${vehicle === null ? '' : ` for ${vehicle.name}`} are removed for good. Scans that were used stay used.`}
      confirmLabel="Clear All"
      focusOnConfirm={heading}
      onConfirm={() => {
        clear.mutate(vehicle?.id ?? null);
      }}
    />
  );
}
