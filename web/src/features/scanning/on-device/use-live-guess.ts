import { useEffect, useReducer, type RefObject } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  LIVE_GUESS_OFF,
  liveGuessMachine,
  type LiveGuess,
  type LiveGuessEvent,
} from '@/features/scanning/on-device/live-guess-machine';
import { browserModelQuery } from '@/features/scanning/on-device/queries';

/** What the model takes the running picture of `videoRef` for. It is loaded when `active` is first true. */
export function useLiveGuess(
  videoRef: RefObject<HTMLVideoElement | null>,
  active: boolean,
): LiveGuess {
  const [live, dispatch] = useReducer(liveGuessMachine, LIVE_GUESS_OFF);
  const model = useQuery({ ...browserModelQuery(), enabled: active }).data ?? null;

  useEffect(() => {
    if (!active || model === null || !canRun()) return;
    dispatch({ type: 'load' });
    const ended = new AbortController();
    const { signal } = ended;
    const tell = (event: LiveGuessEvent) => {
      // A late answer is about a camera that is off.
      if (!signal.aborted) dispatch(event);
    };
    // Only those who start their camera need it.
    import('@/features/scanning/on-device/watch').then(
      ({ watch }) => watch(videoRef, model, tell, signal),
      () => tell({ type: 'failed' }),
    );
    return () => {
      ended.abort();
      dispatch({ type: 'stop' });
    };
  }, [active, model, videoRef]);

  return live;
}

/** Without these the camera works as ever, only without a live guess. */
function canRun(): boolean {
  return typeof Worker !== 'undefined' && typeof OffscreenCanvas !== 'undefined';
}
