import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { UnreachableError } from '@/api/api-error';
import { findServer } from '@/api/health';
import { HomeWaiting } from '@/app/routes/home-waiting';
import { LoadFailure } from '@/components/load-failure';
import { Notice } from '@/components/ui/notice';
import { Spinner } from '@/components/ui/spinner';
import { Scanner } from '@/features/scanning/capture/components/scanner';
import { holdsPhotos } from '@/features/scanning/capture/scan-flow';
import { useScanFlow } from '@/features/scanning/capture/use-scan-flow';
import { KeptResult } from '@/features/scanning/offline-queue/components/kept-result';
import { ownerQuery } from '@/features/scanning/offline-queue/queries';
import type { Owner } from '@/features/scanning/offline-queue/waiting-scan';
import { useStaleStep } from '@/hooks/use-stale-step';

/** How often the server is looked for, in ms. */
const LOOK_AGAIN_MS = 10_000;
/** How often it is looked whether the camera still runs, in ms. */
const CAMERA_MS = 500;

type HomeOfflineProps = {
  /** The read of the account, which failed, or that is asked again. */
  user: Pick<UseQueryResult, 'error' | 'isPending' | 'refetch'>;
  /** Called once the server answers, and nothing on this screen would be lost with it. */
  onReturn: () => void;
};

/** The home screen of a person whose server cannot be reached: photos are taken and kept. */
export function HomeOffline({ user, onReturn }: HomeOfflineProps) {
  useStaleStep();
  const { refetch } = user;
  const retry = useCallback(() => void refetch(), [refetch]);
  const owner = useQuery(ownerQuery());
  useServerReturn(retry);
  const isBack = !user.isPending && !(user.error instanceof UnreachableError);
  const hasScanner = owner.data != null;
  useEffect(() => {
    if (isBack && !hasScanner) onReturn();
  });
  if (owner.isPending) return <Spinner label="Loading..." />;
  if (owner.data == null) {
    return (
      <div className="page max-w-xl">
        <LoadFailure what="Your account" query={user} />
      </div>
    );
  }
  return <OfflineScanner owner={owner.data} isBack={isBack} onRetry={retry} onReturn={onReturn} />;
}

type OfflineScannerProps = {
  owner: Owner;
  /** The server answers again. */
  isBack: boolean;
  onRetry: () => void;
  onReturn: () => void;
};

function OfflineScanner({
  owner: { userId, vehicle },
  isBack,
  onRetry,
  onReturn,
}: OfflineScannerProps) {
  const scan = useScanFlow({
    userId,
    vehicle,
    isOffline: true,
    onSignInNeeded: onRetry,
  });
  const isHeld = holdsPhotos(scan.flow) || scan.cropping !== null;
  const page = useRef<HTMLDivElement>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    if (!isBack || isHeld) return;
    const leave = () => {
      if (isFilming(page.current)) return;
      isLeaving.current = true;
      onReturn();
    };
    leave();
    const timer = setInterval(leave, CAMERA_MS);
    return () => clearInterval(timer);
  }, [isBack, isHeld, onReturn]);
  useEffect(
    () => () => {
      // The screen that comes is there by now. What had the focus is gone with this one.
      const isLost = document.activeElement === document.body;
      if (isLeaving.current && isLost) document.querySelector('h1')?.focus();
    },
    [],
  );
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <div ref={page} className="page grid max-w-2xl grid-cols-1 gap-4 sm:gap-5">
      <title>Partsight - Scan</title>
      <h1 ref={heading} tabIndex={-1} className="sr-only">
        Scan
      </h1>
      {!isBack && (
        <Notice tone="warn" title="No connection to the server" onRetry={onRetry}>
          {vehicle === null
            ? 'Without a default vehicle nothing can be scanned until the server can be reached.'
            : 'Photos that you take now are kept in this browser and sent when the server can be reached.'}
        </Notice>
      )}
      <div role="status" className="empty:hidden">
        {isBack && (
          <Notice tone="good" title="The server can be reached again">
            Stop the camera, and send or remove the photos at hand. Then the next scan is answered
            by the server.
          </Notice>
        )}
      </div>
      {scan.flow.state === 'kept' && (
        <KeptResult
          scan={scan.flow.scan}
          photos={scan.flow.photos}
          onClose={() => {
            scan.close();
            // The button that closed it is gone, and with it the focus.
            heading.current?.focus();
          }}
        />
      )}
      <Scanner hasVehicle={vehicle !== null} scan={scan} />
      <HomeWaiting userId={userId} defaultVehicle={vehicle} />
    </div>
  );
}

/** A camera that runs would be switched off with this screen, and is stopped by whoever started it. */
function isFilming(page: HTMLElement | null): boolean {
  const videos = [...(page?.querySelectorAll('video') ?? [])];
  // One that failed to play is still there, with a stream that has ended.
  return videos.some(({ srcObject }) => (srcObject as MediaStream | null)?.active === true);
}

/** Calls `onReturn` once the server answers again. */
function useServerReturn(onReturn: () => void) {
  useEffect(() => {
    const look = () => {
      void findServer().then(onReturn, () => undefined);
    };
    // A server on this very machine comes back without the browser going online.
    const timer = setInterval(look, LOOK_AGAIN_MS);
    window.addEventListener('online', look);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', look);
    };
  }, [onReturn]);
}
