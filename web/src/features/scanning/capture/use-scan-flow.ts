import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState } from 'react';
import { ApiError, UnreachableError } from '@/api/api-error';
import { isAbort } from '@/api/client';
import { identify } from '@/features/scanning/identify';
import { newCallKey } from '@/lib/call-key';
import type { Photo } from '@/lib/photos/photo';
import { browserModelQuery } from '@/features/scanning/on-device/queries';
import { IDLE, scanFlow, type ScanFlow } from '@/features/scanning/capture/scan-flow';
import { viewOfResult, type ScanView } from '@/features/scanning/result/scan-view';
import { keepForLater } from '@/features/scanning/offline-queue/keep';
import { waitingQuery } from '@/features/scanning/offline-queue/queries';
import type { ScannedVehicle } from '@/features/scanning/offline-queue/waiting-scan';
import {
  failureOf,
  LIMIT_REACHED,
  SIGN_IN_BESIDE,
  SIGN_IN_NEEDED,
} from '@/features/scanning/scan-failure';

type ScanFlowOptions = {
  /** Who scans: a photo without a server is kept for them. */
  userId: string;
  vehicle: ScannedVehicle | null;
  /** The server is known to be out of reach. */
  isOffline?: boolean;
  /** Whether any scan is left; also where that is not known or not counted. */
  hasScansLeft?: () => Promise<boolean>;
  onSignInNeeded: (message: string) => void;
};

/** A photo that is being cropped, and what becomes of it then. */
type Cropping = {
  photo: Photo;
  /** Sent, added to the photos of a part, or put in the place of one of them. */
  then: 'send' | 'add' | number;
};

/**
 * Pauses after which a scan is sent again that the server is still at from an earlier sending. One that was cancelled
 * it gives up once it sees that the connection is closed.
 */
const RUNNING_WAITS_MS = [1000, 2000];

/** What is cached of the last answer, so that the way back from another screen shows it again. */
export const LEFT = ['scan', 'left'];

/** A scan that was sent and that nothing was heard of. */
type Unanswered = { photos: Photo[]; vehicleId: string; several: boolean; key: string };

/** How far a scan is, and what can be done with it. */
export type Scan = ReturnType<typeof useScanFlow>;

/** Joins the scan flow to the identify call; leaving the screen aborts what is under way. */
export function useScanFlow({
  userId,
  vehicle,
  isOffline = false,
  hasScansLeft = () => Promise.resolve(true),
  onSignInNeeded,
}: ScanFlowOptions) {
  const queryClient = useQueryClient();
  const [flow, dispatch] = useReducer(scanFlow, queryClient.getQueryData<ScanFlow>(LEFT) ?? IDLE);
  const { mutateAsync: send } = useMutation({
    mutationFn: identify,
    retry: (failures, error) => isRunning(error) && failures < RUNNING_WAITS_MS.length,
    retryDelay: (failures) => RUNNING_WAITS_MS[failures] ?? 0,
  });
  const requestRef = useRef<AbortController | null>(null);
  const attemptRef = useRef(0);
  const unansweredRef = useRef<Unanswered | null>(null);
  const [cropping, setCropping] = useState<Cropping | null>(null);

  useEffect(() => () => requestRef.current?.abort(), []);

  /**
   * The same photos for the same vehicle, sent again for want of an answer, are the same scan, for several parts if the
   * first was, unless another kind is asked for.
   */
  const unansweredOf = (
    photos: Photo[],
    vehicleId: string,
    several?: boolean,
  ): Unanswered | null => {
    const last = unansweredRef.current;
    const isSame =
      last?.vehicleId === vehicleId &&
      (several ?? last.several) === last.several &&
      last.photos.length === photos.length &&
      last.photos.every((photo, index) => photo === photos[index]);
    return isSame ? last : null;
  };

  const keep = async (
    photos: Photo[],
    forVehicle: ScannedVehicle,
    attempt: number,
    several?: boolean,
  ) => {
    const unanswered = unansweredOf(photos, forVehicle.id, several);
    dispatch({ type: 'submitted', attempt, photos, here: true });
    try {
      const scan = await keepForLater({
        id: unanswered?.key ?? newCallKey(),
        userId,
        vehicle: forVehicle,
        photos,
        isOfSeveral: several ?? unanswered?.several ?? false,
        guess: async (blob) => {
          const { guessPhoto } = await import('@/features/scanning/on-device/guess-photo');
          return guessPhoto(blob, await queryClient.query(browserModelQuery()));
        },
      });
      unansweredRef.current = null;
      await queryClient.invalidateQueries({ queryKey: waitingQuery(userId).queryKey });
      dispatch({ type: 'kept', attempt, scan });
    } catch (error) {
      dispatch({ type: 'failed', attempt, failure: failureOf(error) });
    }
  };

  const submit = async (photos: Photo[], several?: boolean) => {
    if (vehicle === null || photos.length === 0) return;
    const unanswered = unansweredOf(photos, vehicle.id, several);
    requestRef.current?.abort();
    attemptRef.current += 1;
    const attempt = attemptRef.current;
    if (isOffline) {
      await keep(photos, vehicle, attempt, several);
      return;
    }
    const request = new AbortController();
    requestRef.current = request;
    const sending = unanswered ?? {
      photos,
      vehicleId: vehicle.id,
      several: several ?? false,
      key: newCallKey(),
    };
    dispatch({ type: 'submitted', attempt, photos, here: false });
    // One that was counted, and whose answer did not come, uses no other.
    if (unanswered === null && !(await hasScansLeft())) {
      dispatch({ type: 'failed', attempt, failure: LIMIT_REACHED });
      return;
    }
    if (request.signal.aborted) return;
    // Noted before it is sent: of an answer that is lost on its way nothing else is left.
    unansweredRef.current = sending;
    try {
      const { key } = sending;
      const result = await send({
        photos,
        key,
        vehicle,
        several: sending.several,
        signal: request.signal,
      });
      unansweredRef.current = null;
      dispatch({ type: 'answered', attempt, view: viewOfResult(result) });
    } catch (error) {
      // Whoever aborted it has already said what comes next.
      if (isAbort(error)) return;
      // Asked only now: the server may run on this very machine, which needs no network to reach it.
      if (error instanceof UnreachableError && !navigator.onLine) {
        await keep(photos, vehicle, attempt, several);
        return;
      }
      const failure = failureOf(error);
      if (failure.kind === 'not-signed-in') await keepOverSignIn(sending, vehicle, attempt);
      else {
        if (!isUnanswered(error)) unansweredRef.current = null;
        dispatch({ type: 'failed', attempt, failure });
      }
    }
  };

  /** The sign-in takes the page away; what is kept is sent under the same key after it. */
  const keepOverSignIn = async (
    { key, photos, several }: Unanswered,
    forVehicle: ScannedVehicle,
    attempt: number,
  ) => {
    // The sign-in does not wait for the model.
    const guess = () => Promise.resolve(null);
    const request = {
      id: key,
      userId,
      vehicle: forVehicle,
      photos,
      isOfSeveral: several,
      guess,
    };
    const isKept = await keepForLater(request).then(
      () => true,
      () => false,
    );
    const failure = isKept ? SIGN_IN_NEEDED : SIGN_IN_BESIDE;
    dispatch({ type: 'failed', attempt, failure });
    if (isKept) onSignInNeeded(failure.message);
  };

  return {
    flow,
    submit,
    cropping,
    startCrop: setCropping,
    /** Crops nothing; the photo is at hand all the same. */
    cancelCrop: () => {
      setCropping(null);
      if (cropping === null) return;
      const { photo, then } = cropping;
      if (then === 'send') dispatch({ type: 'handed-back', photo });
      else if (then === 'add') dispatch({ type: 'added', photos: [photo] });
    },
    endCrop: (photo: Photo) => {
      setCropping(null);
      if (cropping === null) return;
      const { then } = cropping;
      if (then === 'send') void submit([photo]);
      else if (then === 'add') dispatch({ type: 'added', photos: [photo] });
      else dispatch({ type: 'cropped', index: then, photo });
    },
    /** Gathers photos of one part, beginning with those that were not answered. */
    gather: () => dispatch({ type: 'opened' }),
    add: (photos: Photo[]) => dispatch({ type: 'added', photos }),
    remove: (index: number) => dispatch({ type: 'removed', index }),
    settle: () => dispatch({ type: 'settled' }),
    cancel: () => {
      requestRef.current?.abort();
      dispatch({ type: 'cancelled' });
      // The server may have counted and kept the scan before the abort reached it.
      for (const feature of ['scan', 'subscription', 'waiting']) {
        void queryClient.invalidateQueries({ queryKey: [feature] });
      }
    },
    /** Keeps the photos of a scan that found no server. */
    keepForLater: async () => {
      if (flow.state !== 'failed' || vehicle === null) return;
      attemptRef.current += 1;
      await keep(flow.photos, vehicle, attemptRef.current);
    },
    retry: () => dispatch({ type: 'retried' }),
    close: () => dispatch({ type: 'closed' }),
    /** Shows the answer again that was closed just before. */
    showAgain: () => dispatch({ type: 'shown-again' }),
    reopen: (view: ScanView) => dispatch({ type: 'reopened', view }),
  };
}

/** Whether the server may have the scan all the same: no answer came, it is still at it, or it failed at an unknown point. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || [408, 409].includes(error.status);
  return error instanceof UnreachableError;
}

/** Whether the server is at an earlier sending of the same scan at this moment. */
function isRunning(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}
