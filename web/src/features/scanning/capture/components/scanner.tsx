import { Suspense, useRef } from 'react';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { CameraPanel } from '@/features/scanning/capture/components/camera-panel';
import { PhotoTray } from '@/features/scanning/capture/components/photo-tray';
import { PlainScan } from '@/features/scanning/capture/components/plain-scan';
import { ScanAnnouncer } from '@/features/scanning/capture/components/scan-announcer';
import { holdsPhotos } from '@/features/scanning/capture/scan-flow';
import type { Scan } from '@/features/scanning/capture/use-scan-flow';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { useStoredFlag } from '@/hooks/use-stored-flag';
import type { Photo } from '@/lib/photos/photo';

// Nothing of these is needed before the first photo.
const ScanDialogs = lazyComponent(
  async () => (await import('@/features/scanning/capture/components/scan-dialogs')).ScanDialogs,
);
const CropDialog = lazyComponent(
  async () => (await import('@/features/scanning/capture/components/crop-dialog')).CropDialog,
);

type ScannerProps = {
  hasVehicle: boolean;
  scan: Scan;
};

/** The camera panel with the dialogs of a scan under way. */
export function Scanner({ hasVehicle, scan }: ScannerProps) {
  const { flow } = scan;
  const [cropFirst, setCropFirst] = useStoredFlag('crop-first');
  // Taken before the first dialog disables the button, or is loaded at all.
  const focusBefore = useRef<Element | null>(null);
  const noteFocus = () => {
    focusBefore.current = document.activeElement;
  };
  const returnFocus = () =>
    focusBefore.current instanceof HTMLElement ? focusBefore.current : null;
  const plain = <PlainScan scan={scan} returnFocus={returnFocus} />;
  useUnsavedWork(holdsPhotos(flow) || scan.cropping !== null);
  const gathered = flow.state === 'gathering' ? flow.photos : null;
  useLeaveGuard(gathered !== null && gathered.length > 0);
  const takePhotos = (photos: Photo[], together: boolean) => {
    noteFocus();
    const [first, ...others] = photos;
    if (first === undefined) return;
    const then = gathered !== null || together ? 'add' : 'send';
    // Several at once are cropped one by one, where they are shown together.
    if (cropFirst && others.length === 0) scan.startCrop({ photo: first, then });
    else if (then === 'add') scan.add(photos);
    else void scan.submit(photos);
  };
  return (
    <>
      <ScanAnnouncer flow={flow} />
      <CameraPanel
        hasVehicle={hasVehicle}
        analysing={flow.state === 'analysing'}
        offered={flow.state === 'idle' ? flow.offered : null}
        gathered={gathered}
        onPhotos={takePhotos}
        onAgain={(photo) => {
          noteFocus();
          void scan.submit([photo]);
        }}
        onCrop={(photo) => {
          noteFocus();
          scan.startCrop({ photo, then: 'send' });
        }}
        onGather={(on) => {
          if (on) scan.gather();
          else scan.settle();
        }}
        onSend={() => {
          noteFocus();
          if (gathered !== null) void scan.submit(gathered);
        }}
        tray={
          gathered !== null && (
            // Not loaded on demand: coming late, it would move the button to scan from under a finger.
            <PhotoTray
              photos={gathered}
              onCrop={(photo, index) => scan.startCrop({ photo, then: index })}
              onRemove={scan.remove}
            />
          )
        }
        cropFirst={cropFirst}
        onCropFirst={setCropFirst}
      />
      {scan.cropping !== null && (
        <ErrorBoundary what="Cropping">
          <Suspense fallback={null}>
            <CropDialog
              photo={scan.cropping.photo}
              sends={scan.cropping.then === 'send'}
              onCancel={scan.cancelCrop}
              onDone={scan.endCrop}
            />
          </Suspense>
        </ErrorBoundary>
      )}
      {flow.attempt + Number(flow.state === 'failed') > 0 && (
        <ErrorBoundary what="The scan" attempt={flow.attempt} fallback={plain}>
          <Suspense fallback={plain}>
            <ScanDialogs scan={scan} returnFocus={returnFocus} />
          </Suspense>
        </ErrorBoundary>
      )}
    </>
  );
}
