import { useQuery } from '@tanstack/react-query';
import {
  Camera,
  Crop,
  Flashlight,
  FlashlightOff,
  ImageUp,
  ScanSearch,
  Square,
  Video,
} from 'lucide-react';
import { Suspense, useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { settingsQuery } from '@/api/settings';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { CAMERA_LABELS } from '@/features/scanning/capture/camera-machine';
import { Viewfinder } from '@/features/scanning/capture/components/viewfinder';
import { photosIn, shrunk } from '@/features/scanning/capture/chosen-photos';
import { MAX_PHOTOS, TOO_MANY_PHOTOS } from '@/features/scanning/capture/scan-flow';
import { PHOTO_FILES, type Photo } from '@/lib/photos/photo';
import { useCamera } from '@/features/scanning/capture/use-camera';
import { liveGuessText } from '@/features/scanning/on-device/live-guess-machine';
import { useLiveGuess } from '@/features/scanning/on-device/use-live-guess';
import { useUnsavedWork } from '@/hooks/unsaved-work';
import { countOf } from '@/lib/format';
import { usePhotoDrop } from '@/features/scanning/capture/use-photo-drop';

const PhotoHelp = lazyComponent(
  async () => (await import('@/features/scanning/capture/components/photo-help')).PhotoHelp,
);

const CodesInView = lazyComponent(
  async () => (await import('@/features/scanning/codes/codes-in-view')).CodesInView,
);

type CameraPanelProps = {
  hasVehicle: boolean;
  analysing: boolean;
  /** A photo that was not answered, kept to be sent once more. */
  offered: Photo | null;
  /** The photos of one part that are sent together; null while each is sent as it is taken. */
  gathered: Photo[] | null;
  /** A photo was taken, or photos were chosen; `together` where more than one was. */
  onPhotos: (photos: Photo[], together: boolean) => void;
  /** The offered photo is to be sent as it is. */
  onAgain: (photo: Photo) => void;
  /** The offered photo is to be cropped first. */
  onCrop: (photo: Photo) => void;
  /** Whether each photo is cropped before it is sent. */
  cropFirst: boolean;
  onCropFirst: (on: boolean) => void;
  /** Several photos of one part are to be gathered, or no more. */
  onGather: (on: boolean) => void;
  /** The gathered photos are to be sent. */
  onSend: () => void;
  /** Shows the gathered photos. */
  tray: ReactNode;
};

const NOT_TAKEN =
  'Another photo was still being worked on, so that this one was not taken. Please add it again.';

const TONES = { off: 'neutral', connecting: 'warn', ready: 'good', error: 'bad' } as const;

export function CameraPanel({
  hasVehicle,
  analysing,
  offered,
  gathered,
  onPhotos,
  onAgain,
  onCrop,
  cropFirst,
  onCropFirst,
  onGather,
  onSend,
  tray,
}: CameraPanelProps) {
  const { camera, videoRef, torch, toggleTorch, start, stop, capture } = useCamera();
  const live = camera.state === 'connecting' || camera.state === 'ready';
  const guess = useLiveGuess(videoRef, camera.state === 'ready' && !analysing);
  const maxBytes = useQuery(settingsQuery()).data?.maxPhotoBytes;
  const fileInput = useRef<HTMLInputElement>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [capturing, setCapturing] = useState(false);
  const [preparing, setPreparing] = useState(false);
  const [helping, setHelping] = useState(false);
  // Whoever comes back from the gallery has their account read anew: a session that ended takes no photo with it.
  useUnsavedWork(capturing || preparing);

  // A photo is ready a while after it was chosen: what becomes of it is what is wanted by then, and
  // one that nobody waits for any more uses no scan.
  const whenReady = useRef<typeof onPhotos | null>(null);
  useLayoutEffect(() => {
    whenReady.current = onPhotos;
    return () => {
      whenReady.current = null;
    };
  }, [onPhotos]);

  const gatheredCount = gathered?.length ?? 0;
  const [countBefore, setCountBefore] = useState(gatheredCount);
  if (gatheredCount !== countBefore) {
    setCountBefore(gatheredCount);
    // One was removed, or all are being scanned: what was said of one too many is over.
    if (gatheredCount < countBefore) setRefusal(null);
  }

  const takeFiles = useCallback(
    (files: File[]) => {
      if (analysing || preparing) {
        setRefusal(NOT_TAKEN);
        return;
      }
      if (!hasVehicle) {
        setRefusal('Please select a vehicle first');
        return;
      }
      const chosen = photosIn(files, gatheredCount);
      setRefusal(chosen.refusal);
      if (chosen.photos.length === 0) return;
      setPreparing(true);
      void shrunk(chosen.photos, maxBytes)
        .then(({ photos, refusal: tooLarge }) => {
          // Something else may have been said meanwhile.
          if (tooLarge !== null) setRefusal(chosen.refusal ?? tooLarge);
          if (photos.length > 0) whenReady.current?.(photos, files.length > 1);
        })
        .finally(() => setPreparing(false));
    },
    [analysing, preparing, hasVehicle, gatheredCount, maxBytes],
  );
  const { over, dropTarget } = usePhotoDrop(takeFiles);

  const takeFrame = async () => {
    if (capturing || preparing) return;
    if (gatheredCount === MAX_PHOTOS) {
      setRefusal(TOO_MANY_PHOTOS);
      return;
    }
    setCapturing(true);
    const photo = await capture().finally(() => setCapturing(false));
    setRefusal(
      photo === null ? 'The camera gave no picture yet. Wait a second and capture again.' : null,
    );
    if (photo !== null) whenReady.current?.([photo], false);
  };

  const busy = analysing || capturing;
  // Whatever else began a scan now would end it for the photo that is being prepared.
  const waits = analysing || preparing;
  const problem = refusal ?? (camera.state === 'error' ? `Camera error: ${camera.reason}` : null);

  return (
    <Card aria-labelledby="camera-title" className="@container grid gap-4" {...dropTarget}>
      <div className="flex items-center justify-between gap-3">
        <h2 id="camera-title" className="section-title">
          Scan a part
        </h2>
        <Badge role="status" tone={TONES[camera.state]}>
          {CAMERA_LABELS[camera.state]}
        </Badge>
      </div>
      <Viewfinder
        videoRef={videoRef}
        live={live}
        dropping={over}
        offered={live ? null : (offered ?? gathered?.at(-1) ?? null)}
        caption={liveGuessText(guess)}
      />
      {camera.state === 'ready' && (
        <ErrorBoundary what="Codes in view" fallback={null}>
          <Suspense fallback={null}>
            <CodesInView videoRef={videoRef} />
          </Suspense>
        </ErrorBoundary>
      )}
      {problem !== null && (
        <p role="alert" className="rounded-md bg-bad-wash px-3 py-2 text-sm text-bad">
          {problem}
        </p>
      )}
      {tray}
      <div className="grid gap-2 @[15.5rem]:grid-cols-2">
        {gatheredCount > 0 && (
          <Button
            look="primary"
            className="col-span-full"
            disabled={busy || preparing || !hasVehicle}
            onClick={onSend}
          >
            <ScanSearch className="size-4" aria-hidden />
            Scan {countOf(gatheredCount, 'Photo')}
          </Button>
        )}
        {live ? (
          <Button onClick={stop}>
            <Square className="size-4" aria-hidden />
            Stop
          </Button>
        ) : (
          <Button
            look={offered === null && gatheredCount === 0 ? 'primary' : 'secondary'}
            className="max-sm:px-2 @[15.5rem]:whitespace-nowrap"
            onClick={() => {
              setRefusal(null);
              void start();
            }}
          >
            <Video className="size-4" aria-hidden />
            Start Camera
          </Button>
        )}
        <Button
          look={camera.state === 'ready' ? 'primary' : 'secondary'}
          className="max-sm:px-2 @[15.5rem]:whitespace-nowrap"
          disabled={camera.state !== 'ready' || analysing || !hasVehicle}
          // Not `disabled`: the button keeps the focus, which the dialog gives back to it.
          aria-disabled={capturing || preparing}
          onClick={() => void takeFrame()}
        >
          {hasVehicle && <Camera className="size-4" aria-hidden />}
          {captureLabel(busy, hasVehicle)}
        </Button>
        {camera.state === 'ready' && torch.isThere && (
          <Button
            className="col-span-full"
            aria-pressed={torch.isOn}
            onClick={() => void toggleTorch().then(setRefusal)}
          >
            {torch.isOn ? (
              <FlashlightOff className="size-4" aria-hidden />
            ) : (
              <Flashlight className="size-4" aria-hidden />
            )}
            Flashlight
          </Button>
        )}
        {offered !== null && !live && (
          <div className="col-span-full grid grid-cols-[minmax(0,1fr)_auto] gap-2">
            <Button look="primary" disabled={waits || !hasVehicle} onClick={() => onAgain(offered)}>
              <ScanSearch className="size-4" aria-hidden />
              Scan This Photo Again
            </Button>
            <Button disabled={waits || !hasVehicle} onClick={() => onCrop(offered)}>
              <Crop className="size-4" aria-hidden />
              Crop
            </Button>
          </div>
        )}
        <Button
          className="col-span-full"
          disabled={busy}
          // Not `disabled`: the button keeps the focus, which the dialog gives back to it.
          aria-disabled={preparing}
          onClick={() => {
            if (preparing) return;
            if (hasVehicle) fileInput.current?.click();
            else takeFiles([]);
          }}
        >
          <ImageUp className="size-4" aria-hidden />
          {preparing ? 'Preparing...' : 'Upload from Gallery'}
        </Button>
        <input
          ref={fileInput}
          type="file"
          accept={PHOTO_FILES}
          multiple
          aria-label="Photo of the part"
          tabIndex={-1}
          className="sr-only"
          onChange={(event) => {
            takeFiles([...(event.target.files ?? [])]);
            // Choosing the same file twice must count as a choice.
            event.target.value = '';
          }}
        />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs text-muted">
        <label className="flex min-h-6 items-center gap-2 text-sm text-soft">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={cropFirst}
            onChange={(event) => onCropFirst(event.target.checked)}
          />
          Crop before sending
        </label>
        <label className="flex min-h-6 items-center gap-2 text-sm text-soft">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={gathered !== null}
            disabled={analysing || gatheredCount > 1}
            onChange={(event) => onGather(event.target.checked)}
          />
          Several photos of one part
        </label>
        <p className="max-sm:hidden">Or drop a photo here, or paste one.</p>
        <button
          type="button"
          aria-expanded={helping}
          className="small-button text-sm text-accent"
          onClick={() => setHelping(!helping)}
        >
          How to photograph a part
        </button>
      </div>
      {helping && (
        <ErrorBoundary what="The help">
          <Suspense>
            <PhotoHelp />
          </Suspense>
        </ErrorBoundary>
      )}
    </Card>
  );
}

function captureLabel(busy: boolean, hasVehicle: boolean): string {
  if (busy) return 'Processing...';
  return hasVehicle ? 'Capture' : 'Vehicle Required';
}
