import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Schemas } from '@/api/client';
import { BuyingExtras, ScanExtras } from '@/app/routes/scan-extras';
import { lazyComponent } from '@/components/lazy-component';
import { scanFlow, type ScanFlow } from '@/features/scanning/capture/scan-flow';
import { LEFT, type Scan } from '@/features/scanning/capture/use-scan-flow';
import { ScanResult } from '@/features/scanning/result/components/scan-result';
import { answerText, type ScanView } from '@/features/scanning/result/scan-view';
import { useAmendedView } from '@/features/scanning/result/use-amended-view';
import { useBackStep } from '@/hooks/use-back-step';
import type { Photo } from '@/lib/photos/photo';

const KeptResult = lazyComponent(
  async () => (await import('@/features/scanning/offline-queue/components/kept-result')).KeptResult,
);

type HomeAnswerProps = {
  scan: Scan;
  vehicles: Schemas['Vehicle'][];
  onClose: () => void;
  onScanNext: () => void;
};

/** What came of a scan, which the way back closes as well. */
export function HomeAnswer({ scan, vehicles, onClose, onScanNext }: HomeAnswerProps) {
  const { flow } = scan;
  const close = useBackStep(onClose);
  const queryClient = useQueryClient();
  const [isShownAgain] = useState(() => {
    const left = queryClient.getQueryData<ScanFlow>(LEFT);
    return left?.state === 'idle' && left.closed === flow;
  });
  useEffect(() => {
    queryClient.setQueryData(LEFT, scanFlow(flow, { type: 'closed' }));
  }, [queryClient, flow]);
  if (flow.state === 'result') {
    return (
      <FreshAnswer
        scan={scan}
        view={flow.view}
        isShownAgain={isShownAgain}
        photos={flow.photos}
        vehicles={vehicles}
        onScanNext={() => close(onScanNext)}
        onClose={() => close(onClose)}
      />
    );
  }
  if (flow.state === 'kept') {
    return <KeptResult scan={flow.scan} photos={flow.photos} onClose={() => close(onClose)} />;
  }
  return null;
}

type FreshAnswerProps = HomeAnswerProps & {
  view: ScanView;
  isShownAgain: boolean;
  photos: Photo[];
};

function FreshAnswer({
  scan,
  view: first,
  isShownAgain,
  photos,
  vehicles,
  onClose,
  onScanNext,
}: FreshAnswerProps) {
  const view = useAmendedView(first, isShownAgain);
  const text = answerText(view);
  return (
    <>
      {/* The answer itself is announced where the scan is. */}
      <p aria-live="polite" className="sr-only">
        {text !== answerText(first) && text}
      </p>
      <ScanResult
        view={view}
        photos={photos}
        vehicles={vehicles}
        onCrop={(photo) => scan.startCrop({ photo, then: 'send' })}
        onAddPhotos={() => scan.add(photos)}
        onScanNext={onScanNext}
        extras={<ScanExtras view={view} />}
        buyingExtras={<BuyingExtras view={view} />}
        onClose={onClose}
      />
    </>
  );
}
