import type { Schemas } from '@/api/client';
import { BuyingExtras, ScanExtras } from '@/app/routes/scan-extras';
import { lazyComponent } from '@/components/lazy-component';
import type { useScanFlow } from '@/features/scanning/capture/use-scan-flow';
import { ScanResult } from '@/features/scanning/result/components/scan-result';
import { useBackStep } from '@/hooks/use-back-step';

const KeptResult = lazyComponent(
  async () => (await import('@/features/scanning/offline-queue/components/kept-result')).KeptResult,
);

type HomeAnswerProps = {
  scan: ReturnType<typeof useScanFlow>;
  vehicles: Schemas['Vehicle'][];
  onClose: () => void;
  onScanNext: () => void;
};

/** What came of a scan, which the way back closes as well. */
export function HomeAnswer({ scan, vehicles, onClose, onScanNext }: HomeAnswerProps) {
  const { flow } = scan;
  const close = useBackStep(onClose);
  if (flow.state === 'result') {
    return (
      <ScanResult
        view={flow.view}
        photos={flow.photos}
        vehicles={vehicles}
        onCrop={(photo) => scan.startCrop({ photo, then: 'send' })}
        onAddPhotos={() => scan.add(flow.photos)}
        onScanNext={() => close(onScanNext)}
        extras={<ScanExtras view={flow.view} />}
        buyingExtras={<BuyingExtras view={flow.view} />}
        onClose={() => close(onClose)}
      />
    );
  }
  if (flow.state === 'kept') {
    return <KeptResult scan={flow.scan} photos={flow.photos} onClose={() => close(onClose)} />;
  }
  return null;
}
