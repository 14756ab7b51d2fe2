import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import { isAbort } from '@/api/client';
import { scanMutations } from '@/features/scan/mutations';
import { guessPhoto } from '@/features/scan/on-device/guess-photo';
import type { Photo } from '@/lib/photos/photo';
import { browserModelQuery } from '@/features/scan/queries';
import { failureOf, IDLE, LIMIT_REACHED, scanFlow } from '@/features/scan/scan-flow';
import { viewOfResult, type ScanView } from '@/features/scan/scan-view';
import { keepForLater } from '@/features/scan/waiting/keep';
import { waitingQuery } from '@/features/scan/waiting/queries';
import type { ScannedVehicle } from '@/features/scan/waiting/waiting-scan';

type ScanFlowOptions = {
  /** Who scans: a photo without a server is kept for them. */
  userId: string;
  vehicle: ScannedVehicle | null;
  /** The server is known to be out of reach. */
  isOffline?: boolean;
  /** Scans left, or null while that is not known or not counted. */
  scansLeft: number | null;
  onSignInNeeded: (message: string) => void;
};

/** Joins the scan flow to the identify call; leaving the screen aborts what is under way. */
export function useScanFlow({
  userId,
  vehicle,
  isOffline = false,
  scansLeft,
  onSignInNeeded,
}: ScanFlowOptions) {
  const [flow, dispatch] = useReducer(scanFlow, IDLE);
  const { mutateAsync: identify } = useMutation(scanMutations.identify());
  const queryClient = useQueryClient();
  const requestRef = useRef<AbortController | null>(null);
  const attemptRef = useRef(0);
  const [cropping, setCropping] = useState<Photo | null>(null);

  useEffect(() => () => requestRef.current?.abort(), []);

  const keep = async (photo: Photo, forVehicle: ScannedVehicle, attempt: number) => {
    dispatch({ type: 'submitted', attempt, photo, here: true });
    try {
      const scan = await keepForLater({
        userId,
        vehicle: forVehicle,
        photo,
        guess: async (blob) => guessPhoto(blob, await queryClient.query(browserModelQuery())),
      });
      await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
      dispatch({ type: 'kept', attempt, scan });
    } catch (error) {
      dispatch({ type: 'failed', attempt, failure: failureOf(error) });
    }
  };

  const submit = async (photo: Photo) => {
    if (vehicle === null) return;
    if (scansLeft !== null && scansLeft <= 0) {
      dispatch({ type: 'refused', photo, failure: LIMIT_REACHED });
      return;
    }
    requestRef.current?.abort();
    attemptRef.current += 1;
    const attempt = attemptRef.current;
    if (isOffline || !navigator.onLine) {
      await keep(photo, vehicle, attempt);
      return;
    }
    const request = new AbortController();
    requestRef.current = request;
    dispatch({ type: 'submitted', attempt, photo, here: false });
    try {
      const result = await identify({ photo, vehicle, signal: request.signal });
      dispatch({ type: 'answered', attempt, view: viewOfResult(result) });
    } catch (error) {
      if (isAbort(error)) return;
      const failure = failureOf(error);
      dispatch({ type: 'failed', attempt, failure });
      if (failure.kind === 'not-signed-in') onSignInNeeded(failure.message);
    }
  };

  return {
    flow,
    submit,
    /** The photo that is being cropped. */
    cropping,
    startCrop: setCropping,
    endCrop: () => {
      setCropping(null);
    },
    cancel: () => {
      requestRef.current?.abort();
      dispatch({ type: 'cancelled' });
      // The server may have counted and kept the scan before the abort reached it.
      for (const feature of ['scan', 'subscription', 'waiting']) {
        void queryClient.invalidateQueries({ queryKey: [feature] });
      }
    },
    /** Keeps the photo of a scan that found no server. */
    keepForLater: async () => {
      if (flow.state !== 'failed' || vehicle === null) return;
      attemptRef.current += 1;
      await keep(flow.photo, vehicle, attemptRef.current);
    },
    retry: () => {
      dispatch({ type: 'retried' });
    },
    close: () => {
      dispatch({ type: 'closed' });
    },
    reopen: (view: ScanView) => {
      dispatch({ type: 'reopened', view });
    },
  };
}
