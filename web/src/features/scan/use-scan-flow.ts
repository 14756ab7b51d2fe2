import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef } from 'react';
import { isAbort, type Schemas } from '@/api/client';
import { scanMutations } from '@/features/scan/mutations';
import type { Photo } from '@/features/scan/photo';
import { failureOf, IDLE, LIMIT_REACHED, scanFlow } from '@/features/scan/scan-flow';
import { viewOfResult, type ScanView } from '@/features/scan/scan-view';

type ScanFlowOptions = {
  vehicle: Schemas['Vehicle'] | null;
  /** Scans left, or null while that is not known or not counted. */
  scansLeft: number | null;
  onSignInNeeded: (message: string) => void;
};

/** Joins the scan flow to the identify call; leaving the screen aborts what is under way. */
export function useScanFlow({ vehicle, scansLeft, onSignInNeeded }: ScanFlowOptions) {
  const [flow, dispatch] = useReducer(scanFlow, IDLE);
  const { mutateAsync: identify } = useMutation(scanMutations.identify());
  const queryClient = useQueryClient();
  const requestRef = useRef<AbortController | null>(null);
  const attemptRef = useRef(0);

  useEffect(() => () => requestRef.current?.abort(), []);

  const submit = async (photo: Photo) => {
    if (vehicle === null) return;
    if (scansLeft !== null && scansLeft <= 0) {
      dispatch({ type: 'refused', photo, failure: LIMIT_REACHED });
      return;
    }
    requestRef.current?.abort();
    const request = new AbortController();
    requestRef.current = request;
    attemptRef.current += 1;
    const attempt = attemptRef.current;
    dispatch({ type: 'submitted', attempt, photo });
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
    cancel: () => {
      requestRef.current?.abort();
      dispatch({ type: 'cancelled' });
      // The server may have counted and kept the scan before the abort reached it.
      for (const feature of ['scan', 'subscription']) {
        void queryClient.invalidateQueries({ queryKey: [feature] });
      }
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
