import { useQuery } from '@tanstack/react-query';
import { sentenceOf } from '@/api/api-error';
import { BuyingExtras, ScanExtras } from '@/app/routes/scan-extras';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { LoadingBlock } from '@/components/ui/skeleton';
import { ScanResult } from '@/features/scanning/result/components/scan-result';
import { scanQueries } from '@/features/scanning/history/queries';
import { vehicleQueries } from '@/features/garage/vehicles/queries';

type OpenedScanProps = { id: string; onClose: () => void };

/** The scan that the address names, whether or not the list has come to it. */
export function OpenedScan({ id, onClose }: OpenedScanProps) {
  const scan = useQuery(scanQueries.one(id));
  const vehicles = useQuery(vehicleQueries.list());
  if (scan.isPending) return <LoadingBlock label="Loading the scan" rows={1} rowClassName="h-96" />;
  if (scan.isLoadingError) {
    return (
      <Notice
        tone="bad"
        title="This scan could not be opened"
        action={
          <Button size="small" onClick={onClose}>
            Close
          </Button>
        }
      >
        {sentenceOf(scan.error, 'Try again in a moment.')}
      </Notice>
    );
  }
  const view = scan.data;
  return (
    <ScanResult
      view={view}
      photos={[]}
      vehicles={vehicles.data ?? []}
      onClose={onClose}
      extras={<ScanExtras view={view} />}
      buyingExtras={<BuyingExtras view={view} />}
    />
  );
}
